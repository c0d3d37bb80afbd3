import { expect, it } from 'vitest';
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
