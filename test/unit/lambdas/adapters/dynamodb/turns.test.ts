import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbTurns, endTurnBefore } from '../../../../../lambdas/adapters/dynamodb/turns.ts';
import { type ContactRef, contactRef } from '../../../../../lambdas/domain/contact.ts';
import { ItemBusyError } from '../../../../../lambdas/domain/errors.ts';
import { MAX_STORED_MESSAGES, MAX_TURN_MESSAGES, type OpenTurn } from '../../../../../lambdas/domain/turns/turn.ts';
import type { InboundMessage } from '../../../../../lambdas/domain/webhook-event.ts';
import type { MessageRepository, TurnRepository } from '../../../../../lambdas/ports.ts';
import { messageKey, turnKeyOf } from '../../../../../lambdas/table/keys.ts';
import { NOW, RETENTION_DAYS, TRACEPARENT, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { CONTACT, contact, outbound } from './message-builders.ts';

const tables = contractTables();
let tableName: string;
let messages: MessageRepository;
let turns: TurnRepository;

const useNewTable = async () => {
  tableName = await tables.createTable();
  const table = tables.tableOf(tableName);
  messages = createDynamodbMessages(table, { gapClock: undefined });
  turns = createDynamodbTurns(table);
};
beforeEach(useNewTable);

const TURN = { startedAt: NOW };
const LATER = { startedAt: '2026-11-20T12:00:01.000Z' };

const message = (id: string, changes: Partial<InboundMessage> = {}): InboundMessage => ({
  kind: 'message',
  id,
  contact,
  time: { at: '2026-11-20T11:00:00.000Z', source: 'event' },
  body: JSON.stringify({ _id_: id, FROM: USER, MESSAGE: `The text of ${id}` }),
  traceparent: TRACEPARENT,
  address: USER,
  opensWindow: true,
  ...changes,
});

const expiryOf = (instant: string) => Date.parse(instant) / 1000 + RETENTION_DAYS.messages * 24 * 60 * 60;

const allOf = async <Item>(items: AsyncIterable<Item>) => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const storedTurn = async () => (await tables.items(tableName))[`${CONTACT} TURN`];
const idsIn = async () => {
  const ids = (await storedTurn())?.messageIds;
  return ids instanceof Set ? [...ids].toSorted() : [];
};
const openTurn = (changes: Partial<OpenTurn> = {}): OpenTurn => ({
  contact,
  firstMessageId: 'a',
  startedAt: NOW,
  messageCount: 2,
  ...changes,
});

describe('the messages of a turn', () => {
  it('are those since the last turn, which its first message identifies', async () => {
    await messages.recordInbound(message('a'), TURN);
    await messages.recordInbound(message('b'), LATER);
    expect(await storedTurn()).toEqual({
      ...turnKeyOf(contact),
      firstMessageId: 'a',
      startedAt: NOW,
      messageIds: new Set(['a', 'b']),
      messageCount: 2,
      addedAt: LATER.startedAt,
      expiresAt: expiryOf(LATER.startedAt),
    });
  });

  it('do not include one that is erased while its event is stored again, until the event is retried', async () => {
    await messages.recordInbound(message('a'), TURN);
    const table = tables.tableOf(tableName);
    const erasing = createDynamodbMessages(
      {
        ...table,
        async update(...parameters) {
          await table.delete(messageKey('a'), 'attribute_exists(#createdAt)', {});
          return table.update(...parameters);
        },
      },
      { gapClock: undefined },
    );

    await expect(erasing.recordInbound(message('a'), LATER)).rejects.toThrow(ItemBusyError);

    expect(Object.keys(await tables.items(tableName))).toEqual([`${CONTACT} TURN`]);
  });

  it('do not lack one that is erased and imported while its event is stored again', async () => {
    await messages.recordInbound(message('a'), TURN);
    const table = tables.tableOf(tableName);
    let isErased = false;
    const erasing = createDynamodbMessages(
      {
        ...table,
        async update(...parameters) {
          if (!isErased) {
            isErased = true;
            await table.delete(messageKey('a'), 'attribute_exists(#createdAt)', {});
            await messages.recordInbound({ ...message('a'), isImported: true });
          }
          return table.update(...parameters);
        },
      },
      { gapClock: undefined },
    );

    await expect(erasing.recordInbound(message('a'), LATER)).rejects.toThrow(ItemBusyError);

    expect((await tables.items(tableName))['MESSAGE#a MESSAGE']).toMatchObject({ isImported: true });
  });

  it('do not expire with a turn that was left open long ago, for example while turns were off', async () => {
    const expired = expiryOf(NOW);
    const muchLater = new Date((expired + 60) * 1000).toISOString();
    await messages.recordInbound(message('a'), TURN);
    await messages.recordInbound(message('b'), { startedAt: muchLater });
    expect(await storedTurn()).toMatchObject({ startedAt: NOW, expiresAt: expiryOf(muchLater) });
  });

  it('are none without turns', async () => {
    await messages.recordInbound(message('a'));
    expect(await storedTurn()).toBeUndefined();
  });

  it('are added once, however often they arrive, and not again to the next turn', async () => {
    expect(await messages.recordInbound(message('a'), TURN)).toEqual({ at: '2026-11-20T11:00:00.000Z' });
    await messages.recordInbound(message('a'), LATER);
    expect(await idsIn()).toEqual(['a']);
    expect(await turns.end(openTurn({ messageCount: 1 }))).toBe(true);
    expect(await messages.recordInbound(message('a'), LATER)).toEqual({ at: '2026-11-20T11:00:00.000Z' });
    expect(await storedTurn()).toBeUndefined();
  });

  it('do not include an earlier version of a message, which still replaces the stored one', async () => {
    const earlier = { at: '2026-11-20T10:00:00.000Z', source: 'event' as const };
    await messages.recordInbound(message('a'), TURN);
    await turns.end(openTurn({ messageCount: 1 }));
    expect(await messages.recordInbound(message('a', { time: earlier }), LATER)).toEqual({ at: earlier.at });
    expect(await storedTurn()).toBeUndefined();
    expect((await messages.read('a'))?.createdAt).toBe(earlier.at);
  });

  it('do not include a message that was stored before the stage had turns', async () => {
    await messages.recordInbound(message('a'));
    await messages.recordInbound(message('a'), TURN);
    expect(await storedTurn()).toBeUndefined();
  });

  it('include a message after its status has brought a copy', async () => {
    await messages.recordInbound(message('a', { isFromStatus: true, opensWindow: false }));
    await messages.recordInbound(message('a'), TURN);
    expect(await idsIn()).toEqual(['a']);
    await messages.recordInbound(message('a', { isFromStatus: true, opensWindow: false }));
    expect(await idsIn()).toEqual(['a']);
  });

  it('include a message whose statuses arrived first', async () => {
    const { contact: _, address: _a, opensWindow: _o, ...event } = message('a');
    await messages.recordStatus({ ...event, kind: 'status', status: 'read', literal: 'read' });
    await messages.recordInbound(message('a'), TURN);
    expect(await idsIn()).toEqual(['a']);
  });

  it('do not include a message that Parley sent, and the event is still refused', async () => {
    await messages.recordOutbound(outbound({ id: 'a' }));
    await expect(messages.recordInbound(message('a'), TURN)).rejects.toThrow('Parley sent itself');
    expect(await storedTurn()).toBeUndefined();
  });

  it('are refused together with the turn if the message is too large', async () => {
    const body = JSON.stringify({ MESSAGE: 'x'.repeat(420_000) });
    await expect(messages.recordInbound(message('a', { body }), TURN)).rejects.toThrow('too large');
    expect(await tables.items(tableName)).toEqual({});
  });
});

describe('the end of a turn', () => {
  it('requires that no message was added since, and happens once', async () => {
    await messages.recordInbound(message('a'), TURN);
    await messages.recordInbound(message('b'), LATER);
    expect(await turns.end(openTurn({ messageCount: 1 }))).toBe(false);
    expect(await idsIn()).toEqual(['a', 'b']);
    expect(await turns.end(openTurn())).toBe(true);
    expect(await turns.end(openTurn())).toBe(false);
    expect(await storedTurn()).toBeUndefined();
  });

  it('does not end a later turn with the same number of messages, or the same first message', async () => {
    await messages.recordInbound(message('b'), TURN);
    expect(await turns.end(openTurn({ messageCount: 1 }))).toBe(false);
    const earlier = openTurn({ firstMessageId: 'b', startedAt: '2026-11-20T11:59:59.000Z', messageCount: 1 });
    expect(await turns.end(earlier)).toBe(false);
    expect(await idsIn()).toEqual(['b']);
  });

  it('needs no silence once the turn is full', async () => {
    for (let count = 0; count <= MAX_TURN_MESSAGES; count += 1)
      await messages.recordInbound(message(`m${count}`), TURN);
    const queued = openTurn({ firstMessageId: 'm0', messageCount: MAX_TURN_MESSAGES });
    expect(await turns.end({ ...queued, messageCount: MAX_TURN_MESSAGES - 1 })).toBe(false);
    expect(await turns.end(queued)).toBe(true);
    expect(await storedTurn()).toBeUndefined();
  });

  it('must come before a turn that has too many messages gets more, which are stored later', async () => {
    const ids = Array.from({ length: MAX_STORED_MESSAGES }, (_, index) => `${index}`.padEnd(1024, 'x'));
    for (const id of ids) await messages.recordInbound(message(id), TURN);
    await expect(messages.recordInbound(message('late'), LATER)).rejects.toBeInstanceOf(ItemBusyError);
    expect(await messages.read('late')).toBeUndefined();
    expect(await idsIn()).toHaveLength(MAX_STORED_MESSAGES);
    await turns.end(openTurn({ firstMessageId: ids[0], messageCount: ids.length }));
    await messages.recordInbound(message('late'), LATER);
    expect(await idsIn()).toEqual(['late']);
  });

  it('becomes due again with each message that is refused, in case the earlier changes of the turn were lost', async () => {
    for (let count = 0; count < MAX_STORED_MESSAGES; count += 1)
      await messages.recordInbound(message(`m${count}`), TURN);
    const before = await storedTurn();
    await expect(messages.recordInbound(message('late'), LATER)).rejects.toBeInstanceOf(ItemBusyError);
    // The stream has a change of the turn, from which `publish` ends it.
    expect(await storedTurn()).toEqual({ ...before, refusedAt: LATER.startedAt });
    expect(await turns.end(openTurn({ firstMessageId: 'm0', messageCount: MAX_STORED_MESSAGES }))).toBe(true);
  });

  it('leaves the messages, which can be read until they are erased', async () => {
    await messages.recordInbound(message('a'), TURN);
    await messages.recordInbound(message('b'), LATER);
    await turns.end(openTurn());
    await tables.remove(tableName, { pk: 'MESSAGE#b', sk: 'MESSAGE' });
    const { body } = message('a');
    expect(await allOf(turns.readMessages({ contact, messageIds: ['a', 'b', 'c'] }))).toEqual([
      { id: 'a', createdAt: '2026-11-20T11:00:00.000Z', body, traceparent: TRACEPARENT },
    ]);
  });

  it('leaves many messages, which are read a few at a time, because each can have 400 KB', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `m${index}`);
    for (const id of ids) await messages.recordInbound(message(id), TURN);
    const table = tables.tableOf(tableName);
    const reads: number[] = [];
    const reading = createDynamodbTurns({
      ...table,
      async getAll(keys) {
        reads.push(keys.length);
        return table.getAll(keys);
      },
    });
    const read = reading.readMessages({ contact, messageIds: ids })[Symbol.asyncIterator]();
    expect([(await read.next()).value?.id, reads]).toEqual(['m0', [10]]);
    expect(await allOf({ [Symbol.asyncIterator]: () => read })).toHaveLength(24);
    expect(reads).toEqual([10, 10, 5]);
  });

  it('leaves out the message of another contact that has the same ID', async () => {
    const other = contactRef('chat', '+5491155559999');
    await messages.recordInbound(message('a'), TURN);
    await expect(messages.recordInbound(message('a', { contact: other }), TURN)).rejects.toThrow('ID_OF_ANOTHER');
    const readFor = (contact: ContactRef) => allOf(turns.readMessages({ contact, messageIds: ['a'] }));
    expect(await readFor(contact)).toMatchObject([{ id: 'a' }]);
    expect(await readFor(other)).toEqual([]);
  });

  it('is part of an erasure, unless the turn started after it was requested', async () => {
    const table = tables.tableOf(tableName);
    await endTurnBefore(table, contact, NOW);
    await messages.recordInbound(message('a'), LATER);
    await endTurnBefore(table, contact, NOW);
    expect(await idsIn()).toEqual(['a']);
    await endTurnBefore(table, contact, LATER.startedAt);
    expect(await storedTurn()).toBeUndefined();
  });
});

it('puts every message in exactly one turn, even if events arrive twice, late, or while a turn ends', async () => {
  const step = fc.oneof(
    fc.record({ arrives: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ endsAfter: fc.integer({ min: 1, max: 4 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await useNewTable();
      const arrived = new Set<string>();
      const ended: string[] = [];
      let seconds = 0;
      for (const one of steps) {
        seconds += 1;
        if ('arrives' in one) {
          arrived.add(one.arrives);
          const startedAt = new Date(Date.parse(NOW) + seconds * 1000).toISOString();
          await messages.recordInbound(message(one.arrives), { startedAt });
          continue;
        }
        const turn = await storedTurn();
        const queued = openTurn({
          firstMessageId: String(turn?.firstMessageId ?? 'a'),
          startedAt: String(turn?.startedAt ?? NOW),
          messageCount: one.endsAfter,
        });
        const ids = await idsIn();
        if (await turns.end(queued)) ended.push(...ids);
      }
      expect([...ended, ...(await idsIn())].toSorted()).toEqual([...arrived].toSorted());
    }),
    { numRuns: 60 },
  );
});
