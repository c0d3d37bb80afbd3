import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { stateFileOf } from '../../../../cli/broadcast/state-file.ts';

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
