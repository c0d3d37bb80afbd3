import { BatchGetItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkTable, type TableCheckOptions } from '../../../../cli/operations/check-table.ts';
import { createPacer } from '../../../../cli/operations/pacer.ts';
import type { LawName } from '../../../../lambdas/laws/check-laws.ts';
import type { StoredItem } from '../../../../lambdas/laws/stored-item.ts';
import { testTables } from '../../../support/test-tables.ts';
import {
  accepted,
  auditEntry,
  claimed,
  erasure,
  expiryOf,
  inbound,
  outbound,
} from '../../lambdas/laws/stored-items.ts';

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

const audit = (options: Partial<TableCheckOptions> = {}) =>
  checkTable({
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
    expect(violations.map(({ law }) => law)).toEqual(['claim-ends-with-its-lease'] satisfies LawName[]);
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

  describe('while an erasure is running', () => {
    const found = async (options: Partial<TableCheckOptions> = {}) => {
      const { violations, unconfirmed } = await audit(options);
      return [violations.map(({ law }) => law), unconfirmed.map(({ law, because }) => [law, because])];
    };
    const UNCONFIRMED: readonly (readonly [LawName, string])[] = [['accepted-send-has-its-message', 'erasure']];
    const RECENT = '2026-11-21T12:50:00.000Z';
    const requested = (changes: Record<string, unknown> = {}) => [
      erasure({ pk: 'ERASURE#e-2', requestedAt: RECENT, ...changes }),
      auditEntry({
        pk: 'AUDIT#e-2',
        action: 'erasure',
        erasureId: 'e-2',
        at: RECENT,
        stateAt: RECENT,
        expiresAt: expiryOf(RECENT),
        contact: undefined,
        contactSort: undefined,
        source: undefined,
      }),
    ];

    it('does not report a send whose message may be erased already', async () => {
      await put(accepted(), claimed({ pk: 'SEND#order-18' }), erasure({ requestedAt: RECENT }));

      expect(await found()).toEqual([['claim-ends-with-its-lease'] satisfies LawName[], UNCONFIRMED]);
    });

    it('finds an erasure that was requested behind the scan', async () => {
      await put(accepted());

      expect(await found({ sleep: () => put(...requested()) })).toEqual([[], UNCONFIRMED]);
    });

    it('reports the send once the erasure is done', async () => {
      await put(accepted(), erasure({ requestedAt: RECENT, state: 'done', finishedAt: RECENT }));
      await put(...requested({ state: 'done', finishedAt: RECENT }));

      expect(await found()).toEqual([['accepted-send-has-its-message'] satisfies LawName[], []]);
    });
  });

  it('reports what still breaks a law after a pause', async () => {
    await put(accepted());
    const pauses: number[] = [];

    const { violations } = await audit({ recheckAfterMs: 60_000, sleep: async (ms) => void pauses.push(ms) });

    expect(pauses).toEqual([60_000]);
    expect(violations).toEqual([
      {
        law: 'accepted-send-has-its-message' satisfies LawName,
        key: { pk: 'SEND#order-17', sk: 'SEND' },
        fault: 'Its message is missing.',
      },
    ]);
  });

  const largeClaims = (): readonly StoredItem[] =>
    Array.from({ length: 8 }, (_, index) => claimed({ pk: `SEND#${index}`, decision: 'x'.repeat(300 * 1024) }));

  it('reports, when it is interrupted, what it has found so far, and reads no more', async () => {
    await put(...largeClaims());
    const stop = new AbortController();
    const readAfter: string[] = [];
    const dynamodb = clientWith(async (command) => void (stop.signal.aborted && readAfter.push(command)));

    const { end, items, violations, unconfirmed } = await audit({
      dynamodb,
      stop: stop.signal,
      onProgress: () => stop.abort(),
    });

    expect(end).toBe('interrupted');
    expect(items).toBeGreaterThan(0);
    expect(items).toBeLessThan(8);
    expect([violations, readAfter]).toEqual([[], []]);
    expect(unconfirmed).toHaveLength(items);
    expect(unconfirmed[0]).toMatchObject({
      law: 'claim-ends-with-its-lease' satisfies LawName,
      because: 'not-read-again',
    });
  });

  it('is interrupted while it reads many candidates again, between two batches', async () => {
    await put(...Array.from({ length: 250 }, (_, index) => claimed({ pk: `SEND#${index}` })));
    const stop = new AbortController();
    let batches = 0;
    const dynamodb = clientWith(async (_command, isConsistent) => {
      batches += Number(isConsistent);
      if (isConsistent) stop.abort();
    });

    const { end, unconfirmed } = await audit({ dynamodb, stop: stop.signal });

    expect([end, batches]).toEqual(['interrupted', 1]);
    expect(unconfirmed).toHaveLength(250);
  });

  it.each(['resolves', 'rejects'])(
    'is not complete if it is interrupted during the pause, which then %s',
    async (how) => {
      await put(claimed());
      const stop = new AbortController();

      const { end, violations, unconfirmed } = await audit({
        stop: stop.signal,
        async sleep() {
          stop.abort();
          if (how === 'rejects') stop.signal.throwIfAborted();
        },
      });

      expect([end, violations, unconfirmed.length]).toEqual(['interrupted', [], 1]);
    },
  );

  const failure = (name: string) => Object.assign(new Error('Refused.'), { name });

  it.each(['ScanCommand', 'BatchGetItemCommand'])(
    'reports what it has found so far, when a %s fails midway',
    async (failing) => {
      await put(...largeClaims());
      const expired = failure('ExpiredTokenException');
      let pages = 0;
      const dynamodb = clientWith(async (command) => {
        pages += Number(command === 'ScanCommand');
        if (command === failing && (command !== 'ScanCommand' || pages === 3)) throw expired;
      });

      const { end, error, items, violations, unconfirmed } = await audit({ dynamodb });

      expect([end, error, violations]).toEqual(['failed', expired, []]);
      expect(items).toBeGreaterThan(0);
      expect(unconfirmed).toHaveLength(items);
    },
  );

  it('keeps what it had read again once, when the last reads fail', async () => {
    await put(claimed());
    let isPaused = false;
    const dynamodb = clientWith(async () => {
      if (isPaused) throw failure('ExpiredTokenException');
    });

    const { end, unconfirmed } = await audit({
      dynamodb,
      async sleep() {
        isPaused = true;
      },
    });

    expect([end, unconfirmed.map(({ because }) => because)]).toEqual(['failed', ['not-read-again']]);
  });

  it.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'])(
    'slows down and repeats the page on %s',
    async (name) => {
      await put(claimed());
      const refused: string[] = [];
      const dynamodb = clientWith(async (command) => {
        if (refused.includes(command)) return;
        refused.push(command);
        throw failure(name);
      });
      const pacer = createPacer({ unitsPerSecond: 1e9, nowMs: () => 0, sleep: async () => undefined });
      const slowDown = vi.fn(pacer.slowDown);

      const { end, items, violations } = await audit({
        dynamodb,
        pacer: { ...pacer, slowDown },
      });

      expect([end, items, violations.length]).toEqual(['complete', 1, 1]);
      expect([refused, slowDown.mock.calls.length]).toEqual([['ScanCommand', 'BatchGetItemCommand'], 2]);
    },
  );

  it('gives up on a table that stays throttled', async () => {
    const dynamodb = clientWith(async () => {
      throw failure('ThrottlingException');
    });
    const pacer = createPacer({ unitsPerSecond: 1, nowMs: () => 0, sleep: async () => undefined });

    expect(await audit({ dynamodb, pacer })).toMatchObject({ end: 'failed', error: { name: 'ThrottlingException' } });
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
      await pacer.waitForSlot();
      starts.push(nowMs());
      pacer.use(units);
    }
    await pacer.waitForSlot();

    expect([...starts, nowMs()]).toEqual([0, 1_280, 1_780, 2_000]);
    expect(pacer.used()).toBe(200);
  });

  it('waits longer while the table is throttled, and not at all once it is interrupted', async () => {
    const { pacer, nowMs } = createFakePacer(100);
    pacer.slowDown();
    await pacer.waitForSlot();

    expect(nowMs()).toBe(1_000);
    await expect(pacer.waitForSlot(AbortSignal.abort())).rejects.toThrow();
  });
});
