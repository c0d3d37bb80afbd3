import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbKeptDeadLetters } from '../../../../../lambdas/adapters/dynamodb/kept-dead-letters.ts';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { contactRef, messageGroup } from '../../../../../lambdas/domain/contact.ts';
import { contactsOf, type DeadLetter } from '../../../../../lambdas/domain/dead-letter.ts';
import type { DeadLetterPosition, ErasureRepository, KeptDeadLetterRepository } from '../../../../../lambdas/ports.ts';
import { NOW, USER } from '../../../../support/builders.ts';
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
/** 90 seconds after an incomplete dead letter was found. */
const LATER = '2026-11-13T12:01:35.000Z';
const at = (second: number) => `2026-11-13T12:00:0${second}.000Z`;
const deadLetter = (changes: Partial<DeadLetter> = {}): DeadLetter => ({
  id: 'letter-1',
  queue: 'send',
  reason: 'MALFORMED: Not JSON.',
  body: '{"requestId":"request-1"}',
  since: at(0),
  ...changes,
});

/** Keeps a dead letter, and runs other code before some of the calls to the table, by their numbers. */
const keepWith = (before: Readonly<Record<number, () => Promise<unknown>>>): Promise<void> => {
  const table = tables.tableOf(tableName);
  let calls = 0;
  const interrupt = async () => {
    calls += 1;
    await before[calls]?.();
  };
  const interrupted: ConversationTable = {
    ...table,
    get: async (...args) => interrupt().then(() => table.get(...args)),
    update: async (...args) => interrupt().then(() => table.update(...args)),
    delete: async (...args) => interrupt().then(() => table.delete(...args)),
  };
  return createDynamodbKeptDeadLetters(interrupted).keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
};

describe('a kept dead letter', () => {
  it('is read as it was kept, and listed without its body', async () => {
    const kept = deadLetter({ groupId: USER });
    await deadLetters.keep(kept, [contact], { at: NOW, keepId: 'keep-1' });

    const { body: _body, ...listed } = kept;
    expect(await deadLetters.read('letter-1')).toEqual({ ...kept, keptAt: NOW });
    expect(await deadLetters.list('send', { limit: 10 })).toEqual({ deadLetters: [{ ...listed, keptAt: NOW }] });
    expect(await deadLetters.list('inbound', { limit: 10 })).toEqual({ deadLetters: [] });
  });

  it('of 1 MiB is read byte for byte', async () => {
    const body = 'ñ🎉x'.repeat((1024 * 1024) / 7);
    await deadLetters.keep(deadLetter({ body }), [], { at: NOW, keepId: 'keep-1' });
    expect((await deadLetters.read('letter-1'))?.body === body).toBe(true);
  });

  it('leaves the same items when it is kept again', async () => {
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    const once = await tables.items(tableName);
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    expect(await tables.items(tableName)).toEqual(once);
  });

  it('is deleted with all of its items, once', async () => {
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    expect([await deadLetters.delete('letter-1'), await deadLetters.delete('letter-1')]).toEqual([true, false]);
    expect(await deadLetters.read('letter-1')).toBeUndefined();
    expect(await tables.items(tableName)).toEqual({});
  });

  it('leaves nothing, or is complete, whenever an operator deletes it while it is being kept', async () => {
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
    const complete = await tables.items(tableName);
    const outcomes = [];
    // The calls write the contact, the part, the dead letter, and the contact again, and then check.
    for (let call = 1; call <= 5; call += 1) {
      await deadLetters.delete('letter-1');
      await keepWith({ [call]: () => deadLetters.delete('letter-1') });
      outcomes.push(await tables.items(tableName));
    }
    expect(outcomes).toEqual([complete, complete, complete, {}, {}]);
  });

  it('is complete if it is kept again while the first attempt removes what an operator has deleted', async () => {
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-2' });
    const complete = await tables.items(tableName);
    for (let call = 5; call <= 6; call += 1) {
      await deadLetters.delete('letter-1');
      let isKeptAgain = false;
      await keepWith({
        4: () => deadLetters.delete('letter-1'),
        [call]: async () => {
          isKeptAgain = true;
          await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-2' });
        },
      });
      expect([isKeptAgain, await tables.items(tableName)]).toEqual([true, complete]);
    }
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
    let after: DeadLetterPosition | undefined;
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
    await deadLetters.keep(deadLetter({ id: 'newer', since: at(9) }), [contact], { at: NOW, keepId: 'keep-1' });
    await deadLetters.keep(deadLetter({ id: 'of-other' }), [other], { at: NOW, keepId: 'keep-1' });

    expect(await erasures.eraseKeptDeadLetters(contact, at(5))).toEqual({ erased: 1, isComplete: false });
    expect(await erasures.eraseKeptDeadLetters(contact, at(5))).toEqual({ erased: 0, isComplete: true });

    const { deadLetters: left } = await deadLetters.list('send', { limit: 10 });
    expect(left.map(({ id }) => id).toSorted()).toEqual(['newer', 'of-other']);
  });

  it('that names no contact is deleted by an erasure if its message group is the hash of the contact id', async () => {
    const user = contactRef('chat', 'señora-nº-0');
    const ofGroup = (id: string, address: string) => {
      const letter = deadLetter({ id, groupId: messageGroup(address) });
      return deadLetters.keep(letter, contactsOf(letter, 'chat'), { at: NOW, keepId: id });
    };
    await ofGroup('of-user', 'señora-nº-0');
    await ofGroup('of-other', 'señora-nº-1');

    expect(await erasures.eraseKeptDeadLetters(user, at(5))).toEqual({ erased: 1, isComplete: false });
    expect(await erasures.eraseKeptDeadLetters(user, at(5))).toEqual({ erased: 0, isComplete: true });

    const { deadLetters: left } = await deadLetters.list('send', { limit: 10 });
    expect(left.map(({ id }) => id)).toEqual(['of-other']);
  });

  it('of an earlier version, without a keepId, is listed, read, deleted, kept again, and erased', async () => {
    const keepAsEarlier = async (names: readonly ('keepId' | 'isWritten')[]) => {
      await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' });
      const without = Object.fromEntries(names.map((name) => [name, undefined]));
      const kept = Object.values(await tables.items(tableName)).filter(({ keepId }) => keepId !== undefined);
      for (const item of kept) await tables.put(tableName, { ...item, ...without });
    };
    const erase = (now = at(5)) => erasures.eraseKeptDeadLetters(contact, now);

    await keepAsEarlier(['keepId']);
    const listed = (await deadLetters.list('send', { limit: 10 })).deadLetters.map(({ id }) => id);
    const isRead = (await deadLetters.read('letter-1')) !== undefined;
    const isDeleted = await deadLetters.delete('letter-1');
    expect([listed, isRead, isDeleted, await tables.items(tableName)]).toEqual([['letter-1'], true, true, {}]);

    await keepAsEarlier(['keepId']);
    await deadLetters.keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-2' });
    expect([await erase(), await erase()].map(({ erased }) => erased)).toEqual([1, 0]);
    expect(await tables.items(tableName)).toEqual({});

    await keepAsEarlier(['keepId']);
    expect([await erase(), await erase()].map(({ erased }) => erased)).toEqual([1, 0]);
    expect(await tables.items(tableName)).toEqual({});

    await keepAsEarlier(['keepId', 'isWritten']);
    expect([await erase(), await erase(), await erase(LATER)].map(({ erased }) => erased)).toEqual([0, 0, 1]);
    expect(await tables.items(tableName)).toEqual({});
  });

  it('is erased although the index lists a page of deleted ones before it', async () => {
    await deadLetters.keep(deadLetter({ since: at(4) }), [contact], { at: NOW, keepId: 'keep-1' });
    const table = tables.tableOf(tableName);
    const deleted = Array.from({ length: 25 }, (_, index) => ({ pk: `DEADLETTER#deleted-${index}`, sk: 'CONTACT#0' }));
    const lagging: typeof table = { ...table, query: async () => ({ items: deleted, next: deleted.at(-1) }) };

    expect(await createDynamodbErasures(lagging).eraseKeptDeadLetters(contact, at(5))).toEqual({
      erased: 0,
      isComplete: false,
    });
    expect(await erasures.eraseKeptDeadLetters(contact, at(5))).toEqual({ erased: 1, isComplete: false });
  });

  it('is found by the next turn of an erasure if it is kept again while it is deleted', async () => {
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

      await createDynamodbErasures(racing).eraseKeptDeadLetters(contact, at(5));
      await erasures.eraseKeptDeadLetters(contact, at(5));

      expect(await tables.items(tableName)).toEqual({});
    }
  });

  it('is erased completely if its writer dies while the erasure deletes it', async () => {
    const table = tables.tableOf(tableName);
    const stops = (sk: string): typeof table => ({
      ...table,
      update(update, options) {
        if (update.key.sk === sk) throw new Error('killed');
        return table.update(update, options);
      },
    });
    const keepUntil = (sk: string) =>
      createDynamodbKeptDeadLetters(stops(sk))
        .keep(deadLetter(), [contact], { at: NOW, keepId: 'keep-1' })
        .catch(() => undefined);
    await keepUntil('PART#0');
    let isFirst = true;
    const racing: typeof table = {
      ...table,
      async delete(key, ...rest) {
        const isDeleted = await table.delete(key, ...rest);
        if (isFirst) await table.update({ key, set: { data: Buffer.from('text') } });
        isFirst = false;
        return isDeleted;
      },
      async update(update, options) {
        const written = await table.update(update, options);
        if (isFirst) await table.update({ key: { ...update.key, sk: 'PART#0' }, set: { data: Buffer.from('text') } });
        isFirst = false;
        return written;
      },
    };

    const turns = [
      await createDynamodbErasures(racing).eraseKeptDeadLetters(contact, at(5)),
      await erasures.eraseKeptDeadLetters(contact, at(6)),
      await erasures.eraseKeptDeadLetters(contact, LATER),
      await erasures.eraseKeptDeadLetters(contact, LATER),
    ];

    expect(turns.map(({ erased, isComplete }) => [erased, isComplete])).toEqual([
      [0, false],
      [0, false],
      [1, false],
      [0, true],
    ]);
    expect(await tables.items(tableName)).toEqual({});
  });
});
