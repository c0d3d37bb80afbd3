import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

const filesWith = (pattern: string, code: RegExp): readonly string[] =>
  globSync(pattern, { cwd: ROOT })
    .filter((file) => code.test(readFileSync(join(ROOT, file), 'utf8')))
    .toSorted();

it('creates servers only where every request is checked', () => {
  expect(
    filesWith(
      '{bin,build,cli,examples,lambdas,lib,local,sandbox,smoke}/**/*.ts',
      /\bcreate(?:Secure)?Server\(|\bserve\(/,
    ),
  ).toEqual([
    // Checks the key of every request, and runs where the customer deploys it.
    'examples/consumers/https-endpoint.ts',
    // Only finds out whether a port is free.
    'local/base/local-ports.ts',
    'local/base/serve-locally.ts',
    'local/emulators/checked-connections.ts',
    // Only finds a free port.
    'local/emulators/dynamodb.ts',
    'sandbox/http/local-server.ts',
  ]);
});

it('lets the commands of parley print only through their context, which escapes their output', () => {
  const printing = /\bconsole\.(?:debug|error|info|log|table|warn)\b|process\.(?:stdout|stderr)/;
  expect(filesWith('cli/**/*.ts', printing)).toEqual([
    // The source of a new app, as text.
    'cli/init/app-source.ts',
    'cli/parley.ts',
  ]);
});
