import { mkdtempDisposableSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readState, stateFileOf, writeState } from '../../../../cli/broadcast/state-file.ts';

it.each([
  ['local', 'rows.csv.local.broadcast.json'],
  ['Parley-prod.eu-west-1', 'rows.csv.Parley-prod.eu-west-1.broadcast.json'],
  [
    'arn:aws:cloudformation:eu-west-1:111122223333:stack/Parley-prod/6b0c.eu-west-1',
    'rows.csv.arn_aws_cloudformation_eu-west-1_111122223333_stack_Parley-prod_6b0c.eu-west-1.broadcast.json',
  ],
])('the state file of the target %s is next to the CSV file', (targetId, name) => {
  const file = stateFileOf('/data/rows.csv', targetId);

  expect([dirname(file), basename(file)]).toEqual(['/data', name]);
});

it.each([
  ['a new state file', undefined],
  ['a state file that others could read', 'rows.csv.local.broadcast.json'],
  ['a state file whose writing was interrupted', 'rows.csv.local.broadcast.json.new'],
])('only its owner can read %s', async (_, existing) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'parley-state-'));
  if (existing !== undefined) writeFileSync(join(folder.path, existing), 'longer than the state', { mode: 0o644 });
  const file = join(folder.path, 'rows.csv.local.broadcast.json');
  const state = {
    broadcastId: 'b',
    requestPrefix: 'b',
    contentId: 'c',
    destination: 'q',
    rows: 1,
    done: 1,
    queued: 1,
    refused: {},
  };

  await writeState(file, state);

  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(await readState(file)).toEqual(state);
});
