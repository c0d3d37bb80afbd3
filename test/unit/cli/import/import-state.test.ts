import { mkdtempDisposableSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { importStateFile, readImportState, writeImportState } from '../../../../cli/import/import-state.ts';

it.each([
  ['local', 'history.json.local.import.json'],
  ['Parley-prod.eu-west-1', 'history.json.Parley-prod.eu-west-1.import.json'],
  [
    'arn:aws:cloudformation:eu-west-1:111122223333:stack/Parley-prod/6b0c.eu-west-1',
    'history.json.arn_aws_cloudformation_eu-west-1_111122223333_stack_Parley-prod_6b0c.eu-west-1.import.json',
  ],
])('the state file of the target %s is next to the history', (targetId, name) => {
  const file = importStateFile('/data/history.json', targetId);

  expect([dirname(file), basename(file)]).toEqual(['/data', name]);
});

it.each([
  ['a new state file', undefined],
  ['a state file that others could read', 'history.json.local.import.json'],
  ['a state file whose writing was interrupted', 'history.json.local.import.json.new'],
])('only its owner can read %s', async (_, existing) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'parley-state-'));
  if (existing !== undefined) writeFileSync(join(folder.path, existing), 'longer than the state', { mode: 0o644 });
  const file = join(folder.path, 'history.json.local.import.json');
  const state = { contentId: 'c', target: 't', chunks: 1, entries: 1, added: 1, existing: 0, unreadable: {} };

  await writeImportState(file, state);

  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(await readImportState(file, state)).toEqual(state);
});
