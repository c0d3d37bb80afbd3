import { describe, expect, it } from 'vitest';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { consentVerdict } from '../../../../../lambdas/domain/consent.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import { NOW, wireMessage } from '../../../../support/builders.ts';
import { simulatedTables } from '../../../../support/contract-tables.ts';
import { contact } from './message-builders.ts';
import { repositoriesOf } from './repositories.ts';

const KEYWORDS = { optOut: ['STOP'], optIn: ['START'] };

type Wire = Record<string, unknown>;

const permutationsOf = <Each>(entries: readonly Each[]): readonly (readonly Each[])[] =>
  entries.length <= 1
    ? [entries]
    : entries.flatMap((entry, index) =>
        permutationsOf(entries.toSpliced(index, 1)).map((others) => [entry, ...others]),
      );

const requestOf = (wire: Wire, index = 0) => ({
  rawBody: Buffer.from(JSON.stringify(wire)),
  receivedAt: addMs(NOW, index * 60_000),
});

/** Plays events one after the other. Returns the table's items, and the repositories. */
const play = async (
  events: readonly Wire[],
  wrap: (table: ConversationTable) => ConversationTable = (table) => table,
) => {
  const tables = simulatedTables();
  const name = await tables.createTable();
  const table = tables.tableOf(name);
  const repositories = repositoriesOf(wrap(table), KEYWORDS);
  for (const [index, event] of events.entries()) {
    expect(await repositories.storeEvent(requestOf(event, index))).toMatchObject({ kind: 'stored' });
  }
  return { repositories, items: await tables.items(name) };
};

const minute = (number: number): string => `2026-11-20T10:${String(number).padStart(2, '0')}:00.000Z`;
const CREATED = minute(0);

/** An edited message whose second version opted out, and then a message that opted in, or did so before the edit. */
const versionOf = (MESSAGE: string, modifiedMinute: number): Wire =>
  wireMessage({ MESSAGE, CREATION_TIME: CREATED, LAST_MODIFICATION: minute(modifiedMinute) });
const VERSIONS = [versionOf('Yes', 0), versionOf('STOP', 10), versionOf('Never mind', 20)];
const startAt = (number: number): Wire =>
  wireMessage({ _id_: 'start', MESSAGE: 'START', CREATION_TIME: minute(number) });

const stateAfter = async (events: readonly Wire[], wrap?: Parameters<typeof play>[1]) => {
  const { repositories } = await play(events, wrap);
  const { state, ...verdict } = consentVerdict(await repositories.contacts.readConsents(contact));
  return [state, 'at' in verdict ? verdict.at : undefined];
};

describe('a STOP in the middle version of an edited message', () => {
  it.each([
    ['an opt-in before the edit does not override it', 5, ['opted-out', minute(10)]],
    ['an opt-in after the edit overrides it', 15, ['opted-in', minute(15)]],
  ])('counts as of the edit in every order of arrival: %s', async (_case, start, expected) => {
    for (const order of permutationsOf([...VERSIONS, startAt(start)])) {
      expect([order, await stateAfter(order)]).toEqual([order, expected]);
    }
  });

  it('counts if every event arrives twice, in every order', async () => {
    for (const order of permutationsOf(VERSIONS)) {
      for (const again of permutationsOf(VERSIONS)) {
        const events = [startAt(5), ...order, ...again];
        expect([events, await stateAfter(events)]).toEqual([events, ['opted-out', minute(10)]]);
      }
    }
  });

  it('counts if another function stores another version before any of its writes', async () => {
    for (const [first, second, third] of permutationsOf(VERSIONS)) {
      for (let before = 0; before < 6; before += 1) {
        let writes = 0;
        const interrupted = (table: ConversationTable): ConversationTable => ({
          ...table,
          async update(...parameters) {
            if (writes++ === before) await repositoriesOf(table, KEYWORDS).storeEvent(requestOf(second ?? {}));
            return table.update(...parameters);
          },
        });
        const events = [first ?? {}, third ?? {}, second ?? {}];
        expect([events, before, await stateAfter(events, interrupted)]).toEqual([
          events,
          before,
          ['opted-out', minute(10)],
        ]);
      }
    }
  });

  it('counts as of its first delivery if no version says when it was modified, and the delivery is repeated', async () => {
    const [yes, stop, never] = ['Yes', 'STOP', 'Never mind'].map((MESSAGE) =>
      wireMessage({ MESSAGE, CREATION_TIME: CREATED }),
    );
    const events = [yes ?? {}, stop ?? {}, never ?? {}, stop ?? {}];
    expect(await stateAfter(events)).toEqual(['opted-out', addMs(NOW, 60_000)]);
  });
});

describe('an address whose user changes, and changes back', () => {
  const ofCustomer = (CUSTOMER_ID: string, number: number): Wire =>
    wireMessage({ _id_: `message-${number}`, CUSTOMER_ID, MESSAGE: 'Hi', CREATION_TIME: minute(number) });

  it.each([
    ['A, B, A', ['a', 'b', 'a']],
    ['A, B, C', ['a', 'b', 'c']],
    ['A, A, B', ['a', 'a', 'b']],
  ])('leaves the same contact and the same customers in every order of arrival: %s', async (_case, customers) => {
    const events = customers.map((customer, index) => ofCustomer(customer, index));
    const { items } = await play(events);
    expect(Object.keys(items).filter((key) => key.startsWith('CUSTOMER#'))).toHaveLength(new Set(customers).size);
    for (const order of permutationsOf(events)) {
      expect([order, (await play([...order, ...order])).items]).toEqual([order, items]);
    }
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('links all of them although a function dies before write %i', async (survived) => {
    const events = [ofCustomer('b', 1), ofCustomer('a', 0), ofCustomer('b', 2)];
    const { items } = await play(events);
    const tables = simulatedTables();
    const name = await tables.createTable();
    const table = tables.tableOf(name);
    await repositoriesOf(table).storeEvent(requestOf(events[0] ?? {}));
    let writes = 0;
    const dying: ConversationTable = {
      ...table,
      async update(...parameters) {
        if (writes++ >= survived) throw new Error('killed');
        return table.update(...parameters);
      },
    };
    await repositoriesOf(dying).storeEvent(requestOf(events[1] ?? {}));
    for (const event of [events[2], events[1]]) await repositoriesOf(table).storeEvent(requestOf(event ?? {}));
    expect(await tables.items(name)).toEqual(items);
  });
});
