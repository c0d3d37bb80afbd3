import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { launcher } from '../../../build/launcher.ts';
import { parley } from '../../../build/parley.ts';
import { parleyLocal } from '../../../build/parley-local.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { PAGES, ROOT } from './markdown.ts';

const NODE = parleyLocal(ROOT).node;

/** The version that the constructs and the command also run on. */
const OLDEST = parley(ROOT).node;

it('every page asks for the same Node.js, and only docs/library.md names the oldest one', () => {
  const versions = PAGES.filter(({ file }) => file !== 'CHANGELOG.md').flatMap(({ file, prose }) =>
    [...prose.matchAll(/Node(?:\.js)?\s+(\d[\d.]*\d)/g)].map(([, version]) => `${file}: ${version}`),
  );

  expect(versions.length).toBeGreaterThan(5);
  expect(versions.filter((one) => !one.endsWith(` ${NODE}`))).toEqual([`docs/library.md: ${OLDEST}`]);
  expect(packageJson.engines.node).toBe(`>=${NODE}`);
});

it.each([
  ['parley', OLDEST, `Install Node.js ${NODE}, which the local run also needs, or ${OLDEST} or later.`],
  ['parley-local', NODE, `Install Node.js ${NODE} or later.`],
])('%s asks for a Node.js that runs both commands', (command, node, advice) => {
  const program = launcher(command, { node, target: './none.js' }).replaceAll('process.versions.node', "'20.20.2'");

  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module'], { input: program, encoding: 'utf8' });

  expect(stderr).toBe(`${command}: Node.js 20.20.2 is too old. ${advice}\n`);
  expect(status).toBe(5);
});
