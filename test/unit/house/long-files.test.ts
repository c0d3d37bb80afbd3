import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

const MAX_LINES = 250;

/** Files that are one idea although they are long. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'lambdas/domain/events/event-details.ts': 'the schemas of all events, from which their documents are generated',
  'lambdas/domain/send-transitions.ts': "a send's states and transitions, as data",
  'lambdas/ports.ts': 'the index of every outside interface',
  'lib/constructs/management.ts': "a function's environment is one list",
  'lib/documents/event-samples.ts': 'samples, as data',
  'lib/documents/management-api-samples.ts': 'samples, as data',
  'lib/settings/stage-settings.ts': 'the schema of all settings',
};

it(`has files of at most ${MAX_LINES} lines, except those that are one long idea`, () => {
  const long = globSync('{bench,bin,build,cli,examples,lambdas,lib,local,sandbox,smoke}/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 > MAX_LINES)
    .toSorted();
  expect(long).toEqual(Object.keys(LONG_FILES).toSorted());
});
