import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';

// npm refuses to publish a version twice, so a job that failed between the two packages could never be completed.

const WORKFLOW = readFileSync(join(import.meta.dirname, '../../../.github/workflows/publish.yml'), 'utf8');
const SCRIPT = (/^ +- name: Publish the packages\n.*?^ +run: \|\n(.*)/ms.exec(WORKFLOW)?.[1] ?? '').replaceAll(
  /^ {10}/gm,
  '',
);

let folder: string;

/** Runs the step with a registry that has packages, by name, with their hashes, and rejects everything else. */
const publish = (registry: Readonly<Record<string, string>>) => {
  const known = Object.entries(registry).map(([name, hash]) => `view:@parleyhq/${name}@0.1.0) echo ${hash};;`);
  writeFileSync(
    join(folder, 'bin/npm'),
    `#!/bin/sh\necho "$1 $2" >> "${folder}/calls"\ncase "$1:$2" in\n${known.join('\n')}\nview:*) exit 1;;\nesac\n`,
  );
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const { status } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', SCRIPT], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`, GITHUB_REF_NAME: 'v0.1.0' },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
  return { status, published: calls.filter((call) => call.startsWith('publish')) };
};

const PARLEY = 'publish ./dist/parleyhq-parley-0.1.0.tgz';
const LOCAL = 'publish ./dist/parleyhq-local-0.1.0.tgz';
const hashOf = (text: string): string => `sha512-${createHash('sha512').update(text).digest('base64')}`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-publish-'));
  for (const name of ['bin', 'dist']) mkdirSync(join(folder, name));
  for (const name of ['parley', 'local']) writeFileSync(join(folder, `dist/parleyhq-${name}-0.1.0.tgz`), name);
});

describe('the workflow that publishes', () => {
  it('publishes the package that the other one requires first', () => {
    expect(publish({})).toEqual({ status: 0, published: [PARLEY, LOCAL] });
  });

  it('can be run again after the second package failed', () => {
    expect(publish({ parley: hashOf('parley') })).toEqual({ status: 0, published: [LOCAL] });
  });

  it('does not skip a version that npm has with another hash, which npm then refuses', () => {
    expect(publish({ parley: hashOf('other'), local: hashOf('local') }).published).toEqual([PARLEY]);
  });
});
