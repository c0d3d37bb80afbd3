import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbKeptDeadLetters } from '../../../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import { contactRef, messageGroup } from '../../../../../lambdas/domain/contact.ts';
import { type DeadLetter, subjectsOf } from '../../../../../lambdas/domain/dead-letter.ts';
import { addMs } from '../../../../../lambdas/domain/instant.ts';
import type { ErasureRepository, KeptDeadLetterRepository, ListPosition } from '../../../../../lambdas/ports.ts';
import { NOW, TRACEPARENT, USER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';

const tables = contractTables();
let tableName: string;
let deadLetters: KeptDeadLetterRepository;
let erasures: ErasureRepository;

beforeEach(async () => {
  tableName = await tables.createTable();
  deadLetters = createDynamodbKeptDeadLetters(tables.tableOf(tableName));
  erasures = createDynamodbErasures(tables.tableOf(tableName));
});

const contact = contactRef('chat', USER);
/** 90 seconds after the dead letters were kept. */
const LATER = addMs(NOW, 90_000);
const at = (second: number) => `2026-11-13T12:00:0${second}.000Z`;
const deadLetter = (changes: Partial<DeadLetter> = {}): DeadLetter => ({
  id: 'letter-1',
  queue: 'send',
  reason: 'MALFORMED: Not JSON.',
  body: '{"requestId":"request-1"}',
  since: at(0),
  ...changes,
});

describe('a kept dead letter', () => {
  it('is read as it was kept, and listed without its body', async () => {
    const kept = deadLetter({ groupId: USER, traceparent: TRACEPARENT });
    await deadLetters.keep(kept, [contact], { at: NOW, keepId: 'keep-1' });

    const { body: _body, ...listed } = kept;
    expect(await deadLetters.read('letter-1')).toEqual({ ...kept, keptAt: NOW });
    expect(await deadLetters.list('send', { limit: 10 })).toEqual({ deadLetters: [{ ...listed, keptAt: NOW }] });
    expect(await deadLetters.list('inbound', { limit: 10 })).toEqual({ deadLetters: [] });
  });

  it('leaves the same items when it is kept again', async () => {
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    const once = await tables.items(tableName);
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    expect(await tables.items(tableName)).toEqual(once);
  });

  it('stays as the later call of keep left it if the SDK has repeated the writes of an earlier one', async () => {
    const table = tables.tableOf(tableName);
    const updates: Parameters<typeof table.update>[] = [];
    const recording: typeof table = {
      ...table,
      update(...update) {
        updates.push(update);
        return table.update(...update);
      },
    };
    await createDynamodbKeptDeadLetters(recording).keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    await deadLetters.keep(deadLetter(), [contact], { at: addMs(NOW, 60_000), keepId: 'keep-2' });
    const kept = await tables.items(tableName);
    for (const update of updates) await table.update(...update);

    expect(await tables.items(tableName)).toEqual(kept);
    expect(await erasures.eraseKeptDeadLetters([contact], LATER)).toEqual({ erased: 0, isComplete: false });
  });

  it('leaves nothing, or is complete, whenever an operator deletes it while it is being kept', async () => {
    const outcomes = [];
    // The calls write the contact, the part, and the dead letter.
    for (let call = 1; call <= 4; call += 1) {
      await deadLetters.delete('letter-1');
      const table = tables.tableOf(tableName);
      let calls = 0;
      const interrupted: typeof table = {
        ...table,
        async update(...args) {
          calls += 1;
          if (calls === call) await deadLetters.delete('letter-1');
          return table.update(...args);
        },
      };
      await createDynamodbKeptDeadLetters(interrupted).keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
      if (call > calls) await deadLetters.delete('letter-1');
      outcomes.push(await tables.items(tableName));
    }
    const [complete] = outcomes;
    expect(complete).not.toEqual({});
    expect(outcomes).toEqual([complete, complete, complete, {}]);
  });

  it('is not read if its deletion was interrupted', async () => {
    await deadLetters.keep(deadLetter(), [], { at: NOW, keepId: 'keep-1' });
    await tables.remove(tableName, { pk: 'DEADLETTER#letter-1', sk: 'PART#0' });
    expect(await deadLetters.read('letter-1')).toBeUndefined();
  });

  it('is listed once over all pages, oldest first', async () => {
    for (const second of [3, 1, 4, 0, 2]) {
      await deadLetters.keep(deadLetter({ id: `letter-${second}`, since: at(second) }), [], {
        at: NOW,
        keepId: 'keep-1',
      });
    }
    const ids: string[] = [];
    let after: ListPosition | undefined;
    do {
      const page = await deadLetters.list('send', { limit: 2, ...(after && { after }) });
      ids.push(...page.deadLetters.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(ids).toEqual([0, 1, 2, 3, 4].map((second) => `letter-${second}`));
  });

  it('is deleted by the erasure of any of its contacts, if it is not newer than the request', async () => {
    const other = contactRef('chat', 'CO.1000');
    await deadLetters.keep(deadLetter({ id: 'of-both' }), [other, contact], { at: NOW, keepId: 'keep-1' });
    await deadLetters.keep(deadLetter({ id: 'newer', since: addMs(LATER, 1) }), [contact], {
      at: NOW,
      keepId: 'keep-1',
    });
    await deadLetters.keep(deadLetter({ id: 'of-other' }), [other], { at: NOW, keepId: 'keep-1' });

    expect(await erasures.eraseKeptDeadLetters([contact], LATER)).toEqual({ erased: 1, isComplete: false });
    expect(await erasures.eraseKeptDeadLetters([contact], LATER)).toEqual({ erased: 0, isComplete: true });

    const { deadLetters: left } = await deadLetters.list('send', { limit: 10 });
    expect(left.map(({ id }) => id).toSorted()).toEqual(['newer', 'of-other']);
  });

  it('that names no contact is deleted by an erasure if its message group is the hash of the contact id', async () => {
    const user = contactRef('chat', 'señora-nº-0');
    const ofGroup = (id: string, address: string) => {
      const letter = deadLetter({ id, groupId: messageGroup(address) });
      return deadLetters.keep(letter, subjectsOf(letter, 'chat'), { at: NOW, keepId: id });
    };
    await ofGroup('of-user', 'señora-nº-0');
    await ofGroup('of-other', 'señora-nº-1');

    expect(await erasures.eraseKeptDeadLetters([user], LATER)).toEqual({ erased: 1, isComplete: false });
    expect(await erasures.eraseKeptDeadLetters([user], LATER)).toEqual({ erased: 0, isComplete: true });

    const { deadLetters: left } = await deadLetters.list('send', { limit: 10 });
    expect(left.map(({ id }) => id)).toEqual(['of-other']);
  });

  it('is erased although the index lists a page of deleted ones before it', async () => {
    await deadLetters.keep(deadLetter({ since: at(4) }), [contact], { at: NOW, keepId: 'keep-1' });
    const table = tables.tableOf(tableName);
    const deleted = Array.from({ length: 25 }, (_, index) => ({ pk: `DEADLETTER#deleted-${index}`, sk: 'CONTACT#0' }));
    const lagging: typeof table = {
      ...table,
      query: async ({ after, ...query }) =>
        after === undefined ? { items: deleted, next: { pk: 'DEADLETTER#deleted-24' } } : table.query(query),
    };

    const erased = await createDynamodbErasures(lagging).eraseKeptDeadLetters([contact], LATER);
    expect(erased).toEqual({ erased: 1, isComplete: false });
  });

  it('is found by the next pass of an erasure if it is kept again while it is deleted', async () => {
    for (const interrupted of ['PART#0', 'DEADLETTER', 'CONTACT#0']) {
      await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
      const table = tables.tableOf(tableName);
      const racing: typeof table = {
        ...table,
        async delete(key, ...rest) {
          if (key.sk === interrupted) await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-2' });
          return table.delete(key, ...rest);
        },
      };

      await createDynamodbErasures(racing).eraseKeptDeadLetters([contact], LATER);
      await erasures.eraseKeptDeadLetters([contact], LATER);

      expect(await tables.items(tableName)).toEqual({});
    }
  });

  it.each([
    ['if its writer dies and a write takes effect later', 'PART#0'],
    ['if the SDK has repeated a write and the first attempt takes effect later', undefined],
  ])('is erased completely %s', async (_, dyingAt) => {
    const table = tables.tableOf(tableName);
    const dying: typeof table = {
      ...table,
      update(update, options) {
        if (update.key.sk === dyingAt) throw new Error('killed');
        return table.update(update, options);
      },
    };
    const kept = createDynamodbKeptDeadLetters(dying).keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    await kept.catch(() => undefined);

    const before = await erasures.eraseKeptDeadLetters([contact], addMs(LATER, -1));
    await table.update({ key: { pk: 'DEADLETTER#letter-1', sk: 'PART#0' }, set: { data: Buffer.from('text') } });
    const passes = [before];
    for (let pass = 0; pass < 2; pass += 1) passes.push(await erasures.eraseKeptDeadLetters([contact], LATER));

    expect(passes).toEqual([
      { erased: 0, isComplete: false },
      { erased: 1, isComplete: false },
      { erased: 0, isComplete: true },
    ]);
    expect(await tables.items(tableName)).toEqual({});
  });
});
