import { createServer } from 'node:http';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AwsServiceError } from '../../../../../lambdas/adapters/aws-service-error.ts';
import { createDynamodbClient, type OutputOf } from '../../../../../lambdas/adapters/dynamodb/client.ts';
import { createConversationTable } from '../../../../../lambdas/adapters/dynamodb/conversation-table.ts';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { ItemBusyError, WriteRefusedError } from '../../../../../lambdas/domain/errors.ts';
import { TIME_BUDGET } from '../../../../../lambdas/receive/time-budget.ts';
import { type ItemKey, messageKey } from '../../../../../lambdas/table/keys.ts';
import { listenLocally } from '../../../../../local/base/listen-locally.ts';
import { RETENTION_DAYS } from '../../../../support/builders.ts';
import { testTables } from '../../../../support/test-tables.ts';
import { createClientWithHooks } from './client-with-hooks.ts';

// What every table does, the simulated one too, is in test/simulation/world/table.contract.test.ts.

const tables = testTables();
let tableName: string;
let table: ConversationTable;

beforeEach(async () => {
  tableName = await tables.createTable();
  table = tables.tableOf(tableName);
});

const key = messageKey('message-1');

const put = (item: ItemKey & Record<string, unknown>) =>
  tables.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));

describe('getAll', () => {
  const keys = Array.from({ length: 250 }, (_, index) => messageKey(String(index)));
  const isStored = (index: number) => index % 7 !== 0;
  const expected = keys.map((stored, index) => (isStored(index) ? stored : undefined));

  beforeEach(async () => {
    await Promise.all(keys.filter((_, index) => isStored(index)).map((stored) => put({ ...stored })));
  });

  it('returns any number of items in the order of their keys, and undefined for missing ones', async () => {
    expect(await table.getAll(keys)).toEqual(expected);
    expect(await table.getAll(keys.toReversed())).toEqual(expected.toReversed());
    expect(await table.getAll([])).toEqual([]);
  });

  /**
   * Leaves all but the first keys of each call unprocessed, as a throttled table does; how many, by the number of the
   * call. Time passes only in the table's own pauses.
   */
  const processOnly = (answered: (call: number) => number) => {
    let calls = 0;
    const pauses: number[] = [];
    const client = createClientWithHooks(tables, {
      after(operation, output) {
        if (operation !== 'BatchGetItem') return output;
        calls += 1;
        const { Responses = {} }: OutputOf<'BatchGetItem'> = { ...output };
        const items = Responses[tableName] ?? [];
        const processed = answered(calls);
        const unprocessed = items.slice(processed).map(({ pk, sk }) => ({ ...(pk && { pk }), ...(sk && { sk }) }));
        return {
          ...output,
          Responses: { [tableName]: items.slice(0, processed) },
          UnprocessedKeys: unprocessed.length === 0 ? {} : { [tableName]: { Keys: unprocessed } },
        };
      },
    });
    const sleep = async (ms: number) => void pauses.push(ms);
    const throttled = tables.tableOf(tableName, { client, sleep });
    return { throttled, pauses, calls: () => calls };
  };

  it('asks again for the keys that DynamoDB left unprocessed', async () => {
    const { throttled, calls } = processOnly(() => 30);
    expect(await throttled.getAll(keys)).toEqual(expected);
    // 85, 86, and 43 stored items, at most 30 per call.
    expect(calls()).toBe(8);
  });

  const WAITED_TOO_LONG = 'DynamoDB returned only some of the items.';

  it('throws when DynamoDB returns nothing for about two seconds', async () => {
    const { throttled, pauses } = processOnly(() => 0);
    await expect(throttled.getAll(keys)).rejects.toThrow(WAITED_TOO_LONG);
    expect(pauses).toEqual([25, 50, 100, 200, 400, 800]);
  });

  it('pauses for two seconds at most in the whole of a read, however many calls it takes', async () => {
    // Every fifth call returns a key, so that no batch fails by itself.
    const { throttled, pauses } = processOnly((call) => (call % 5 === 0 ? 1 : 0));
    await expect(throttled.getAll(keys)).rejects.toThrow(WAITED_TOO_LONG);
    const total = pauses.reduce((sum, ms) => sum + ms, 0);
    expect(total).toBeGreaterThan(1_000);
    expect(total).toBeLessThanOrEqual(2_000);
  });

  it('pauses shortly again after an answer with items', async () => {
    const { throttled, pauses } = processOnly((call) => (call === 4 ? 50 : call > 4 ? 100 : 0));
    await throttled.getAll(keys.slice(0, 100));
    expect(pauses).toEqual([25, 50, 100, 25]);
  });
});

describe('a write of an item that a transaction is writing', () => {
  const other = messageKey('message-2');

  /** DynamoDB's error, which the emulator never returns. */
  const errorOf = (type: string, fields: object = {}) =>
    new AwsServiceError(400, undefined, JSON.stringify({ __type: `x#${type}`, ...fields }));
  const cancelled = (...codes: string[]) =>
    errorOf('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });
  const conflict = () => errorOf('TransactionConflictException');

  /** A table whose first writes fail with these errors, each after `callMs`. */
  const failingWith = (errors: AwsServiceError[], { callMs = 0, random = 0.5 } = {}) => {
    const pauses: number[] = [];
    const time = { ms: 0 };
    const client = createClientWithHooks(tables, {
      async before() {
        time.ms += callMs;
        const error = errors.shift();
        if (error) throw error;
      },
    });
    const sleep = async (ms: number) => {
      pauses.push(ms);
      time.ms += ms;
    };
    const clocks = { sleep, random: () => random, monotonicMs: () => time.ms };
    return {
      failing: tables.tableOf(tableName, { client, ...clocks }),
      pauses,
      time,
    };
  };

  it('is repeated after a growing pause', async () => {
    const { failing, pauses } = failingWith([conflict(), conflict()]);
    expect(await failing.update({ key, set: { a: 1 } })).toMatchObject({ kind: 'written' });
    expect(pauses).toEqual([12.5, 25]);
    expect(await table.get(key)).toEqual({ ...key, a: 1 });
  });

  it('is repeated if it is a deletion, or a transaction itself', async () => {
    await put({ ...key });
    const { failing } = failingWith([conflict()]);
    expect(await failing.delete(key, '#pk = :pk', { pk: key.pk })).toBe(true);
    const both = failingWith([cancelled('None', 'TransactionConflict'), cancelled('ThrottlingError', 'None')]);
    expect(await both.failing.updateBoth({ key, set: { a: 1 } }, { key: other, set: { b: 2 } })).toBe('written');
    expect(await table.getAll([key, other])).toEqual([
      { ...key, a: 1 },
      { ...other, b: 2 },
    ]);
  });

  it('fails after eight attempts, which does not mean that the table is unavailable', async () => {
    const { failing, pauses } = failingWith(Array.from({ length: 9 }, conflict));
    await expect(failing.update({ key, set: { a: 1 } })).rejects.toBeInstanceOf(ItemBusyError);
    expect(pauses).toEqual([12.5, 25, 30, 30, 30, 30, 30]);
  });

  it('fails before the webhook gives the table up as unavailable, even if calls are slow and pauses long', async () => {
    const { failing, time } = failingWith(Array.from({ length: 9 }, conflict), { callMs: 60, random: 1 });
    await expect(failing.update({ key, set: { a: 1 } })).rejects.toBeInstanceOf(ItemBusyError);
    expect(time.ms).toBeLessThan(TIME_BUDGET.table);
  });

  it.each([
    [
      'is not written if its condition fails, whatever happens to the other',
      ['ConditionalCheckFailed', 'TransactionConflict'],
    ],
    ['is not written if its condition fails', ['ConditionalCheckFailed', 'None']],
  ])('%s', async (_what, codes) => {
    const { failing, pauses } = failingWith([cancelled(...codes)]);
    expect(await failing.updateBoth({ key, set: { a: 1 } }, { key: other, set: { b: 2 } })).toBe('first-conflicts');
    expect(pauses).toEqual([]);
  });

  it('is refused if DynamoDB can never accept it', async () => {
    const { failing } = failingWith([cancelled('None', 'ValidationError')]);
    const writing = failing.updateBoth({ key, set: { a: 1 } }, { key: other, set: { b: 2 } });
    await expect(writing).rejects.toBeInstanceOf(WriteRefusedError);
  });
});

describe('two updates together', () => {
  const other = messageKey('message-2');

  it('are refused if one of the items would be too large', async () => {
    const large = 'x'.repeat(400 * 1024);
    const writing = table.updateBoth({ key, set: { a: 1 } }, { key: other, set: { large } });
    await expect(writing).rejects.toThrow(WriteRefusedError);
    expect(await table.getAll([key, other])).toEqual([undefined, undefined]);
  });
});

describe('an update, whose answer the emulator and DynamoDB must agree on', () => {
  // DynamoDB returns no old attributes of an item that did not exist; the emulator returns its key. Source:
  // https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html, "ReturnValues"
  it('asks for no old attributes, whatever it returns', async () => {
    const requested: unknown[] = [];
    const client = createClientWithHooks(tables, { request: (_operation, input) => void requested.push(input) });
    const observed = tables.tableOf(tableName, { client });

    await observed.update({ key, set: { text: 'Hi' } });
    await observed.update({ key, set: { text: 'Hi' } }, { returnItem: true });

    expect(requested).toMatchObject([{ ReturnValues: 'NONE' }, { ReturnValues: 'ALL_NEW' }]);
  });
});

describe('a table whose signal is aborted', () => {
  it('ends the call in flight', async () => {
    const abort = new AbortController();
    const { promise: isClosed, resolve: onClose } = Promise.withResolvers<void>();
    const server = await listenLocally(
      createServer(({ socket }) => {
        socket.once('close', () => onClose());
        abort.abort();
      }),
    );
    onTestFinished(() => server.close());
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: undefined };
    const client = createDynamodbClient({
      endpoint: server.url,
      region: 'local',
      credentials,
      maxAttempts: 3,
      requestHandler: {},
    });
    const options = { client, tableName, retentionDays: RETENTION_DAYS, abortSignal: abort.signal };
    const update = createConversationTable(options).update({ key, set: { a: 1 } });
    await expect(update).rejects.toMatchObject({ name: 'AbortError' });
    await isClosed;
  });

  it('starts no call', async () => {
    const aborted = tables.tableOf(tableName, { abortSignal: AbortSignal.abort() });
    const calls = [
      () => aborted.update({ key, set: { a: 1 } }),
      () => aborted.get(key),
      () => aborted.getAll([key]),
      () => aborted.delete(key, 'attribute_exists(#pk)', {}),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ name: 'AbortError' });
    expect(await tables.items(tableName)).toEqual({});
  });
});

describe('expiryOf', () => {
  it('returns the end of the retention in whole seconds', () => {
    expect(table.expiryOf('messages', '2026-11-20T12:00:00.999Z')).toBe(Date.parse('2027-12-25T12:00:00.000Z') / 1000);
  });
});
