import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDynamodbCircuit } from '../../../lambdas/adapters/dynamodb/circuit.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbErasures } from '../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSendLists } from '../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { createDynamodbTurns } from '../../../lambdas/adapters/dynamodb/turns.ts';
import { CONSENT_KINDS, CONSENT_ORIGINS } from '../../../lambdas/domain/consent.ts';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import { WriteRefusedError } from '../../../lambdas/domain/errors.ts';
import type { UncalledResult } from '../../../lambdas/domain/send.ts';
import { startTrace } from '../../../lambdas/domain/trace-context.ts';
import type { Item } from '../../../lambdas/table/item.ts';
import { ACCOUNT, claim, queuedSend, sendRequest, sendResult } from '../../support/builders.ts';
import { testTables } from '../../support/test-tables.ts';
import { createSimulatedTable, createTableState } from './table.ts';

const tables = testTables();

interface TestedTable {
  readonly table: ConversationTable;
  items(): Promise<Readonly<Record<string, Item>>>;
}

const emulated = async (): Promise<TestedTable> => {
  const tableName = await tables.createTable();
  const table = tables.tableOf(tableName);
  return { table, items: () => tables.items(tableName) };
};

const simulated = async (): Promise<TestedTable> => {
  const state = createTableState();
  const table = createSimulatedTable(state, async (_, perform) => perform());
  return { table, items: async () => Object.fromEntries(state.items) };
};

const KEY = { pk: 'SEND#one', sk: 'SEND' };

describe.each([
  ['simulated', simulated],
  ['on the emulator', emulated],
] as const)('the conversation table, %s', (_, create) => {
  it('sets, removes, and increments attributes, and keeps those that are set once', async () => {
    const { table, items } = await create();
    const set = { state: 'queued', gone: 'x', call: { body: { text: 'hi', absent: undefined } } };

    await table.update({ key: KEY, set, setOnce: { createdAt: 'first' }, increment: ['attempts'] });
    await table.update({
      key: KEY,
      set: { state: 'claimed', gone: undefined },
      setOnce: { createdAt: 'second' },
      increment: ['attempts'],
    });

    expect(Object.values(await items())).toEqual([
      { ...KEY, state: 'claimed', call: { body: { text: 'hi' } }, createdAt: 'first', attempts: 2 },
    ]);
  });

  it('adds members to sets', async () => {
    const { table, items } = await create();
    for (const member of ['b', 'a', 'b']) await table.update({ key: KEY, add: { seen: new Set([member]) } });
    expect(Object.values(await items())).toEqual([{ ...KEY, seen: new Set(['a', 'b']) }]);
  });

  it('replaces a set by another', async () => {
    const { table, items } = await create();
    for (const members of [['a', 'b'], ['b']]) await table.update({ key: KEY, set: { seen: new Set(members) } });
    await table.update({ key: KEY, add: { seen: new Set(['c']) } });
    expect(Object.values(await items())).toEqual([{ ...KEY, seen: new Set(['b', 'c']) }]);
  });

  it('returns the item after a write when asked to, and the item as it is after a conflict', async () => {
    const { table } = await create();
    const first = { key: KEY, set: { state: 'queued' }, condition: 'attribute_not_exists(#state)' };

    expect(await table.update(first)).toEqual({ kind: 'written', item: undefined });
    expect(await table.update(first)).toEqual({ kind: 'conflict', item: { ...KEY, state: 'queued' } });
    expect(await table.update({ key: KEY, set: { state: 'claimed' } }, { returnItem: true })).toEqual({
      kind: 'written',
      item: { ...KEY, state: 'claimed' },
    });
    const other = { key: { pk: 'none', sk: 'SEND' }, set: { state: 'claimed' }, condition: 'attribute_exists(#state)' };
    expect(await table.update(other)).toEqual({ kind: 'conflict', item: undefined });
  });

  it.each([
    ['#state = :one', true],
    ['#state <> :one', false],
    ['#state < :two', true],
    ['#state >= :two', false],
    ['#missing < :two', false],
    ['#missing >= :two', false],
    ['#missing = :two', false],
    ['#missing <> :two', true],
    ['NOT #missing = :two', true],
    ['#count > :zero AND #count <= :ten', true],
    ['#count < :two', false],
    ['#state IN (:two, :one)', true],
    ['NOT #state IN (:two)', true],
    ['attribute_exists(#missing) OR #state = :one AND #count = :zero', false],
    ['(attribute_exists(#missing) OR #state = :one) AND #count = :ten', true],
    ['attribute_not_exists(#missing) AND NOT attribute_not_exists(#state)', true],
    ['contains(#seen, :one)', true],
    ['contains(#seen, :two)', false],
    ['contains(#state, :one)', true],
    ['contains(#missing, :one)', false],
    ['NOT contains(#missing, :one)', true],
  ])('evaluates the condition %s', async (condition, holds) => {
    const { table } = await create();
    await table.update({ key: KEY, set: { state: 'one', count: 10 }, add: { seen: new Set(['one']) } });
    const uses = (word: string): boolean => new RegExp(`${word}\\b`).test(condition);
    const all = { one: 'one', two: 'two', zero: 0, ten: 10 };

    const outcome = await table.update({
      key: KEY,
      set: { changed: 'yes' },
      condition,
      values: Object.fromEntries(Object.entries(all).filter(([name]) => uses(`:${name}`))),
    });

    expect(outcome.kind).toBe(holds ? 'written' : 'conflict');
  });

  it('writes two items, or none and says which condition failed', async () => {
    const { table, items } = await create();
    const absent = 'attribute_not_exists(#state)';
    const both = (condition: string) =>
      table.updateBoth(
        { key: KEY, set: { state: 'queued' }, condition: absent },
        { key: { pk: 'other', sk: 'SEND' }, set: { state: 'queued' }, condition },
      );

    expect(await both('attribute_exists(#state)')).toBe('second-conflicts');
    expect(await items()).toEqual({});
    expect(await both(absent)).toBe('written');
    expect(await both(absent)).toBe('first-conflicts');
    expect(Object.values(await items())).toHaveLength(2);
  });

  it('deletes an item when the condition holds', async () => {
    const { table, items } = await create();
    await table.update({ key: KEY, set: { contact: 'a' } });

    expect(await table.delete(KEY, '#contact = :contact', { contact: 'b' })).toBe(false);
    expect(await table.delete(KEY, '#contact = :contact', { contact: 'a' })).toBe(true);
    expect(await table.delete(KEY, 'NOT #contact = :contact', { contact: 'a' })).toBe(false);
    expect(await items()).toEqual({});
  });

  it('reads items in the order of their keys, with undefined for a missing one', async () => {
    const { table } = await create();
    for (const pk of ['a', 'b']) await table.update({ key: { pk, sk: 'x' }, set: { name: pk } });

    const found = await table.getAll(['b', 'none', 'a'].map((pk) => ({ pk, sk: 'x' })));

    expect(found.map((item) => item?.name)).toEqual(['b', undefined, 'a']);
    expect(await table.get({ pk: 'a', sk: 'x' })).toEqual({ pk: 'a', sk: 'x', name: 'a' });
    expect(await table.get({ pk: 'none', sk: 'x' })).toBeUndefined();
  });

  it('queries an index in both directions, page by page', async () => {
    const { table } = await create();
    for (const [pk, contactSort] of [
      ['a', 'MESSAGE#2'],
      ['b', 'MESSAGE#1'],
      ['c', 'SEND#1'],
      ['d', 'MESSAGE#3'],
    ] as const) {
      await table.update({ key: { pk, sk: 'x' }, set: { contact: 'one', contactSort, body: 'not in the index' } });
    }
    await table.update({ key: { pk: 'e', sk: 'x' }, set: { contact: 'other', contactSort: 'MESSAGE#1' } });
    const query = {
      IndexName: 'byContact',
      KeyConditionExpression: '#contact = :contact AND begins_with(#contactSort, :messages)',
      ExpressionAttributeNames: { '#contact': 'contact', '#contactSort': 'contactSort' },
      values: { contact: 'one', messages: 'MESSAGE#' },
    };

    const all = await table.query(query);
    const newest = await table.query({ ...query, ScanIndexForward: false, Limit: 2 });
    const rest = await table.query({ ...query, ScanIndexForward: false, Limit: 2, after: newest.next ?? {} });
    const between = await table.query({
      ...query,
      KeyConditionExpression: '#contact = :contact AND #contactSort BETWEEN :from AND :until',
      values: { contact: 'one', from: 'MESSAGE#2', until: 'SEND#1' },
    });

    expect(all.items.map(({ pk }) => pk)).toEqual(['b', 'a', 'd']);
    expect(all.next).toBeUndefined();
    expect(all.items[0]).toEqual({ pk: 'b', sk: 'x', contact: 'one', contactSort: 'MESSAGE#1' });
    expect([...newest.items, ...rest.items].map(({ pk }) => pk)).toEqual(['d', 'a', 'b']);
    expect(rest.next).toBeUndefined();
    expect(between.items.map(({ pk }) => pk)).toEqual(['a', 'd', 'c']);
  });

  it.each([
    ['a value that is not declared', { condition: '#state = :queued' }],
    ['a value that no expression uses', { values: { queued: 'queued' } }],
    ['an item that is too large', { set: { text: 'x'.repeat(410 * 1024) } }],
  ])('refuses %s', async (_what, update) => {
    const { table } = await create();
    await expect(table.update({ key: KEY, set: { a: 'b' }, ...update })).rejects.toThrow(WriteRefusedError);
  });

  it('returns an item without changing it, from an update that only removes what is not there', async () => {
    const { table } = await create();
    await table.update({ key: KEY, set: { a: 'b' } });
    const read = { key: KEY, set: { gone: undefined }, condition: 'attribute_exists(#pk)' };
    expect(await table.update(read, { returnItem: true })).toEqual({ kind: 'written', item: { ...KEY, a: 'b' } });
  });
});

describe('the simulated table', () => {
  it.each([
    'size(#state) > :one',
    'attribute_type(#state, :one)',
    '#state = :one AND',
    '#state ~ :one',
    'contains(#state)',
    '#state :one',
  ])('refuses the syntax %s', async (condition) => {
    const { table } = await simulated();
    const values = condition.includes(':one') ? { values: { one: 'one' } } : {};
    const updated = table.update({ key: KEY, set: { a: 'b' }, condition, ...values });
    await expect(updated).rejects.toThrow(/The simulated table (does not know|cannot read)/);
  });

  it('holds the same items as the emulator, and answers the same, after any operations', { timeout: 300_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 14 }), async (operations) => {
        const [one, other] = [await simulated(), await emulated()];
        const answers: unknown[][] = [[], []];
        for (const [index, { table }] of [one, other].entries()) {
          for (const operate of operations) answers[index]?.push(await operate(table));
        }
        expect(answers[0]).toEqual(answers[1]);
        expect(await one.items()).toEqual(await other.items());
      }),
      { numRuns: 40 },
    ),
  );
});

type Operation = (table: ConversationTable) => Promise<unknown>;

const contact = contactRef('chat', queuedSend().request.platformContactId);
const at = fc.constantFrom(...['10', '11', '12'].map((hour) => `2026-11-20T${hour}:00:00.000Z`));
const send = fc
  .record({ requestId: fc.constantFrom('request-1', 'request-2'), messageText: fc.constantFrom('one', 'another') })
  .map((changes) => queuedSend(sendRequest(changes)));
const TURN_STARTED_AT = '2026-11-20T11:30:00.000Z';
const claimId = fc.constantFrom('claim-1', 'claim-2');
const called = fc
  .tuple(fc.constantFrom('accepted' as const, 'rejected' as const, 'uncertain' as const, 'waiting' as const), at)
  .map(([state, time]) => sendResult(state, time));
const uncalled = fc.oneof(
  fc
    .record({ state: fc.constantFrom('expired' as const, 'waiting' as const), at, decision: fc.constant('why') })
    .map((given): UncalledResult => given),
  at.map((time): UncalledResult => ({ state: 'refused', at: time, code: 'NO_OPT_IN', decision: 'why' })),
);
const result = fc.oneof(called, uncalled);

/** Operations of the real repositories. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(send, at).map<Operation>(
    ([given, time]) =>
      (table: ConversationTable) =>
        createDynamodbSends(table).register(given, time),
  ),
  fc.tuple(send, at).map<Operation>(
    ([given, time]) =>
      (table) =>
        createDynamodbSends(table).schedule(given, { at: time, sendAt: time }),
  ),
  fc.tuple(send, claimId, at, fc.boolean()).map<Operation>(
    ([given, id, time, resend]) =>
      (table) =>
        createDynamodbSends(table).claim(given, claim({ claimId: id, claimedAt: time }), {
          resend,
        }),
  ),
  fc.tuple(send, claimId, result).map<Operation>(
    ([{ request }, id, given]) =>
      (table) =>
        createDynamodbSends(table).recordResult(request.requestId, id, given),
  ),
  fc.tuple(send, uncalled).map<Operation>(
    ([given, outcome]) =>
      (table) =>
        createDynamodbSends(table).recordWithoutCall(given, outcome),
  ),
  fc.tuple(send, at, fc.constantFrom('message-1', 'message-2')).map<Operation>(
    ([{ request }, time, messageId]) =>
      (table) =>
        createDynamodbSends(table).confirm(request.requestId, { messageId, at: time }),
  ),
  fc.tuple(send, at).map<Operation>(
    ([{ request }, time]) =>
      (table) =>
        createDynamodbSends(table).cancel(request.requestId, time),
  ),
  fc.constant<Operation>((table) => createDynamodbSendLists(table).list({ state: 'uncertain' }, { limit: 10 })),
  at.map<Operation>(
    (time) => (table) => createDynamodbContacts(table, { readsHandovers: false }).denyWindow(contact, time),
  ),
  fc
    .tuple(at, fc.constantFrom(...CONSENT_KINDS), fc.constantFrom(...CONSENT_ORIGINS), fc.constantFrom('form', 'call'))
    .map<Operation>(
      ([time, kind, origin, source]) =>
        (table) =>
          createDynamodbContacts(table, { readsHandovers: false }).recordConsent(contact, {
            kind,
            origin,
            at: time,
            source,
          }),
    ),
  fc.tuple(at, fc.constantFrom('5491155550000', undefined)).map<Operation>(
    ([checkedAt, checkedAddress]) =>
      (table) =>
        createDynamodbContacts(table, { readsHandovers: false }).recordCheck(contact, {
          checkedAt,
          ...(checkedAddress && { checkedAddress }),
        }),
  ),
  at.map<Operation>(
    (time) => (table) =>
      createDynamodbContacts(table, { readsHandovers: false }).readWithAccount(contact, ACCOUNT, time),
  ),
  at.map<Operation>(() => (table) => createDynamodbContacts(table, { readsHandovers: false }).readConsents(contact)),
  at.map<Operation>((time) => (table) => createDynamodbErasures(table).removeContact(contact, time)),
  at.map<Operation>((time) => (table) => createDynamodbErasures(table).endOpenTurn(contact, time)),
  fc.tuple(fc.constantFrom('message-1', 'message-2'), at, fc.integer({ min: 1, max: 2 })).map<Operation>(
    ([firstMessageId, startedAt, messageCount]) =>
      (table) =>
        createDynamodbTurns(table).end({ contact, firstMessageId, startedAt, messageCount }),
  ),
  fc.tuple(at, send, fc.integer({ min: 1, max: 3 })).map<Operation>(([claimedAt, { request }, attempt]) => (table) => {
    const message = { id: 'message-1', requestId: request.requestId, contact, call: claim().call, claimedAt, attempt };
    return createDynamodbMessages(table, { gapClock: undefined }).recordOutbound(message);
  }),
  fc
    .tuple(at, fc.constantFrom('delivered' as const, 'failed' as const, 'other' as const))
    .map<Operation>(([time, status]) => (table) => {
      const event = { id: 'message-1', time: { at: time, source: 'event' as const }, body: `${status} ${time}` };
      const traceparent = startTrace('message', time);
      return createDynamodbMessages(table, { gapClock: undefined }).recordStatus({
        kind: 'status',
        status,
        literal: status,
        traceparent,
        ...event,
      });
    }),
  fc
    .tuple(
      fc.constantFrom('message-1', 'message-2'),
      at,
      fc.constantFrom('event' as const, 'arrival' as const),
      fc.constantFrom(true, undefined),
      fc.constantFrom({ startedAt: TURN_STARTED_AT }, undefined),
    )
    .map<Operation>(([id, time, source, isFromStatus, turn]) => (table) => {
      const traceparent = startTrace('message', time);
      const message = { id, contact, time: { at: time, source }, body: time, isFromStatus, traceparent };
      // A message with the id of one that Parley sent is refused.
      return createDynamodbMessages(table, { gapClock: undefined })
        .recordInbound({ kind: 'message', ...message, opensWindow: true, address: contact.key }, turn)
        .catch((error: unknown) => String(error));
    }),
  fc.tuple(at, at).map<Operation>(([calledAt, openedAt]) => (table) => {
    const trip = { reason: 'token' as const, why: 'why', calledAt, openedAt, nextProbeAt: openedAt };
    return createDynamodbCircuit(table, ACCOUNT).open(trip);
  }),
  fc.tuple(at, at).map<Operation>(
    ([now, leaseUntil]) =>
      (table) =>
        createDynamodbCircuit(table, ACCOUNT).claimProbe({ probeId: 'probe-1', now, leaseUntil }),
  ),
  at.map<Operation>((time) => (table) => createDynamodbCircuit(table, ACCOUNT).close('probe-1', time)),
  fc
    .tuple(send, at, fc.shuffledSubarray(['message-1', 'message-2']))
    .map<Operation>(([{ request }, time, ids]) => (table) => {
      const item = { kind: 'send', id: request.requestId, ...(ids.length > 0 && { messageIds: ids }) } as const;
      return createDynamodbErasures(table).erase(contact, item, time);
    }),
);
