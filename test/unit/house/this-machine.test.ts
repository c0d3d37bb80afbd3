import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

const filesWith = (pattern: string, code: RegExp): readonly string[] =>
  globSync(pattern, { cwd: ROOT })
    .filter((file) => code.test(readFileSync(join(ROOT, file), 'utf8')))
    .toSorted();

it('lets the commands of parley print only through their context, which escapes their output', () => {
  const printing = /\bconsole\.(?:debug|error|info|log|table|warn)\b|process\.(?:stdout|stderr)/;
  expect(filesWith('cli/**/*.ts', printing)).toEqual(['cli/parley.ts']);
});
