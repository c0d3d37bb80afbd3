import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stateFolderAt } from '../../../../cli/base/state-folder.ts';

const CASES = [
  ['the folder that has it', 'app', ['app/.parley/local.json', 'app/package.json'], 'app'],
  ['the folder above with the package', 'app/bin/deep', ['app/.parley/local.json', 'app/package.json'], 'app'],
  [
    'a folder in an app with a run of its own',
    'app/infra',
    ['app/infra/.parley/local.json', 'app/package.json'],
    'app/infra',
  ],
  ['no folder above that is no app', 'other/deep', ['other/.parley/local.json'], 'other/deep'],
  ['an app that is not running', 'app/bin', ['.parley/local.json', 'app/package.json'], 'app'],
] as const;

it.each(CASES)('finds the local run of %s', (_case, from, files, expected) => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'parley-state-'));
  for (const file of files) {
    mkdirSync(join(root.path, file, '..'), { recursive: true });
    writeFileSync(join(root.path, file), '{}');
  }

  expect(stateFolderAt(join(root.path, from))).toBe(join(root.path, expected, '.parley'));
});
