import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanUp } from '../../../smoke/matrix/run-matrix.ts';
import { isMatrixName } from '../../../smoke/matrix/variants.ts';
import { createScriptedAccount, resource, type ScriptedAccount, stack } from '../../support/scripted-account.ts';

let account: ScriptedAccount;
let tables: string[];
let queues: string[];
let printed: string[];

beforeEach(() => {
  account = createScriptedAccount();
  printed = [];
  tables = ['Parley-smoke-11111111-default-Table1-X', 'Parley-prod-Table1-Y', 'Parley-smoke-eu-Table1-Z'];
  queues = ['parley-smoke-11111111-bus', 'parley-smoke-results'].map((name) => `https://sqs.example/1/${name}`);
  account.stacks.set('Parley-smoke-22222222-network', stack('Parley-smoke-22222222-network', { isProtected: true }));
  account.stacks.set('Parley-smoke', stack('Parley-smoke'));
  account.answers.set('ListTables', () => ({ TableNames: tables }));
  account.answers.set('ListQueues', () => ({ QueueUrls: queues }));
  account.answers.set('UpdateTable', () => ({}));
  account.answers.set('DeleteTable', ({ TableName }) => void account.log.push(`delete ${TableName}`));
  account.answers.set('DeleteQueue', ({ QueueUrl }) => void account.log.push(`delete ${QueueUrl}`));
});

const clean = (yes: boolean) =>
  cleanUp(
    { kind: 'clean', account: '111122223333', region: undefined, yes },
    {
      stdin: Object.assign(Readable.from([]), { isTTY: false }),
      print: (line) => printed.push(line),
      open: async () => account,
    },
  );

describe('--clean', () => {
  it('deletes what smoke tests left, and nothing else', async () => {
    expect(await clean(true)).toBe(true);

    expect(account.log).toEqual([
      'protection of Parley-smoke-22222222-network: false',
      'delete Parley-smoke-22222222-network',
      'delete Parley-smoke-11111111-default-Table1-X',
      'delete https://sqs.example/1/parley-smoke-11111111-bus',
    ]);
  });

  it('deletes nothing without a confirmation', async () => {
    await expect(clean(false)).rejects.toThrow('Nothing was deleted. There is no terminal to ask for confirmation.');

    expect(account.log).toEqual([]);
  });

  it('says what CloudFormation leaves', async () => {
    const resources = [resource('Key', 'AWS::KMS::Key', { status: 'DELETE_SKIPPED' })];
    account.stacks.set('Parley-smoke-22222222-network', stack('Parley-smoke-22222222-network', { resources }));

    await expect(clean(true)).rejects.toThrow('Left: AWS::KMS::Key Key-id. Delete it yourself.');
  });

  it('says that there is nothing', async () => {
    account.stacks.clear();
    [tables, queues] = [[], []];

    expect(await clean(false)).toBe(true);
    expect(printed).toEqual([
      'There are no stacks, tables, or queues of a --matrix test in account 111122223333 in eu-west-1.',
    ]);
  });
});

describe('the names of a matrix', () => {
  it.each(['Parley-smoke-12345678-default', 'Parley-smoke-12345678-bus-Table1-X', 'parley-smoke-12345678'])(
    'include %s',
    (name) => expect(isMatrixName(name)).toBe(true),
  );

  it.each(['Parley-smoke', 'Parley-smoke-eu', 'Parley-smoke-123456789', 'my-parley-smoke-12345678', 'Parley-prod'])(
    'do not include %s',
    (name) => expect(isMatrixName(name)).toBe(false),
  );
});
