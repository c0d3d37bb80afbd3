import { BatchGetItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { type AuditOptions, auditTable } from '../../../../cli/operations/audit-table.ts';
import { createPacer } from '../../../../cli/operations/pacer.ts';
import type { StoredItem } from '../../../../lambdas/domain/laws/stored-item.ts';
import { testTables } from '../../../support/test-tables.ts';
import { accepted, claimed, inbound, outbound } from '../../lambdas/domain/laws/stored-items.ts';

const NOW = '2026-11-21T13:00:00.000Z';

const tables = testTables();
let tableName: string;

beforeEach(async () => {
  tableName = await tables.createTable();
});

const put = async (...items: readonly StoredItem[]): Promise<void> => {
  for (const item of items) {
    await tables.client.send(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));
  }
};

/** A client that calls back before each read of the given kind. */
const clientWith = (onRead: (command: string, isConsistent: boolean) => Promise<unknown>): DynamoDBClient =>
  Object.assign(Object.create(tables.client), {
    async send(command: { readonly input: { readonly RequestItems?: Record<string, { ConsistentRead?: boolean }> } }) {
      const isConsistent = command.input.RequestItems?.[tableName]?.ConsistentRead === true;
      await onRead(command.constructor.name, isConsistent);
      return Reflect.apply(tables.client.send, tables.client, [command]);
    },
  });

const audit = (options: Partial<AuditOptions> = {}) =>
  auditTable({
    dynamodb: tables.client,
    tableName,
    now: () => NOW,
    rules: { graceMs: 60 * 60 * 1000, messageDays: 400 },
    pacer: createPacer({ unitsPerSecond: Number.POSITIVE_INFINITY, nowMs: () => 0 }),
    recheckAfterMs: 0,
    sleep: async () => undefined,
    ...options,
  });

describe('the audit of a live table', () => {
  it('reads every item, page by page, and changes nothing', async () => {
    const padding = 'x'.repeat(300 * 1024);
    const messages = Array.from({ length: 12 }, (_, index) => inbound({ pk: `MESSAGE#in-${index}`, body: padding }));
    await put(...messages, claimed());
    const before = await tables.items(tableName);
    const pages: number[] = [];

    const { items, violations, end } = await audit({ onProgress: (read) => pages.push(read) });

    expect([items, end, pages.length > 2]).toEqual([13, 'complete', true]);
    expect(violations.map(({ law }) => law)).toEqual(['claim-ends-with-its-lease']);
    expect(await tables.items(tableName)).toEqual(before);
  });

  it('never reports a send whose message is written between the two reads', async () => {
    await put(accepted());
    let isWritten = false;
    const dynamodb = clientWith(async (_command, isConsistent) => {
      if (isConsistent && !isWritten) await put(outbound());
      isWritten ||= isConsistent;
    });

    expect((await audit({ dynamodb })).violations).toEqual([]);
    expect(isWritten).toBe(true);
  });

  it('never reports a send that is erased some time after its message', async () => {
    await put(accepted());

    const { violations } = await audit({
      async sleep() {
        const erase =
          'SET body = :empty, erasedAt = :now REMOVE contact, contactSort, createdAt, #call, decision, outcome';
        await tables.client.send(
          new UpdateItemCommand({
            TableName: tableName,
            Key: marshall({ pk: 'SEND#order-17', sk: 'SEND' }),
            UpdateExpression: erase,
            ExpressionAttributeNames: { '#call': 'call' },
            ExpressionAttributeValues: marshall({ ':empty': '', ':now': NOW }),
          }),
        );
      },
    });

    expect(violations).toEqual([]);
  });

  it('reports what still breaks a law after a pause', async () => {
    await put(accepted());
    const pauses: number[] = [];

    const { violations } = await audit({ recheckAfterMs: 60_000, sleep: async (ms) => void pauses.push(ms) });

    expect(pauses).toEqual([60_000]);
    expect(violations).toEqual([
      {
        law: 'accepted-send-has-its-message',
        key: { pk: 'SEND#order-17', sk: 'SEND' },
        fault: 'Its message is missing.',
      },
    ]);
  });

  it('reports, when it is interrupted, what it has found so far', async () => {
    const padding = 'x'.repeat(300 * 1024);
    await put(...Array.from({ length: 8 }, (_, index) => claimed({ pk: `SEND#${index}`, decision: padding })));
    const stop = new AbortController();

    const { end, items, violations } = await audit({ stop: stop.signal, onProgress: () => stop.abort() });

    expect(end).toBe('interrupted');
    expect(items).toBeGreaterThan(0);
    expect(items).toBeLessThan(8);
    expect(violations).toHaveLength(items);
  });

  it('reads what the sends refer to in batches, and repeats what a throttled table leaves out', async () => {
    // Too large for one page, so that most messages are not on the page of their send.
    const padding = 'x'.repeat(20 * 1024);
    const ids = Array.from({ length: 120 }, (_, index) => String(index));
    await put(...ids.map((id) => accepted({ pk: `SEND#${id}`, messageId: `sent-${id}`, decision: padding })));
    await put(...ids.map((id) => outbound({ pk: `MESSAGE#sent-${id}`, requestId: id })));
    let leftOut = 0;
    const dynamodb = Object.assign(Object.create(tables.client), {
      async send(command: unknown) {
        if (!(command instanceof BatchGetItemCommand) || leftOut > 0) {
          return Reflect.apply(tables.client.send, tables.client, [command]);
        }
        const keys = command.input.RequestItems?.[tableName]?.Keys ?? [];
        leftOut = keys.length;
        return { Responses: {}, UnprocessedKeys: { [tableName]: { Keys: keys } } };
      },
    });

    expect((await audit({ dynamodb, isWanted: (law) => law === 'accepted-send-has-its-message' })).violations).toEqual(
      [],
    );
    expect(leftOut).toBeGreaterThan(0);
  });
});

describe('the pacer', () => {
  const createFakePacer = (unitsPerSecond: number) => {
    let nowMs = 0;
    const sleep = async (ms: number) => {
      nowMs += ms;
    };
    return { pacer: createPacer({ unitsPerSecond, nowMs: () => nowMs, sleep }), nowMs: () => nowMs };
  };

  it('waits after each call until the capacity that it used is paid for', async () => {
    const { pacer, nowMs } = createFakePacer(100);
    const starts: number[] = [];
    for (const units of [128, 50, 22]) {
      await pacer.waitForTurn();
      starts.push(nowMs());
      pacer.use(units);
    }
    await pacer.waitForTurn();

    expect([...starts, nowMs()]).toEqual([0, 1_280, 1_780, 2_000]);
    expect(pacer.used()).toBe(200);
  });

  it('waits longer while the table is throttled, and not at all once it is interrupted', async () => {
    const { pacer, nowMs } = createFakePacer(100);
    pacer.slowDown();
    await pacer.waitForTurn();

    expect(nowMs()).toBe(1_000);
    await expect(pacer.waitForTurn(AbortSignal.abort())).rejects.toThrow();
  });
});
