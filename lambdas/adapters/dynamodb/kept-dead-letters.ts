import { type ContactRef, contactRef, messageGroup } from '../../domain/contact.ts';
import { isKept } from '../../domain/dead-letter.ts';
import type { Instant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import type { KeptDeadLetterRepository } from '../../ports.ts';
import {
  type DeadLetterContact,
  parseDeadLetter,
  parseDeadLetterContact,
  parsePart,
} from '../../table/dead-letter-item.ts';
import { contactQuery, contactSort, deadLetterShard, stateQuery } from '../../table/indexes.ts';
import { contactName, deadLetterKeys, idOf } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/** An item can have at most 400 KB; the rest is for its key and the marshalling of binary data. */
const PART_BYTES = 350 * 1024;

/** A late write of an earlier call must not make the dead letter look older than the call that is still writing. */
const IS_LATEST = 'attribute_not_exists(#keptAt) OR #keptAt <= :keptAt';

/**
 * Creates the repository of kept dead letters. They have no `expiresAt`: only an operator or an erasure deletes them.
 *
 * The items are written in an order in which an erasure finds everything that an interruption leaves: first those of
 * the contacts, then the one that lists the dead letter. They are deleted in the opposite order, after the body. If a
 * dead letter is kept again while it is being deleted, the items of its contacts stay for the next pass.
 */
export const createDynamodbKeptDeadLetters = (table: ConversationTable): KeptDeadLetterRepository => ({
  async keep({ id, queue, reason, body, groupId, traceparent, since }, contacts, { at, keepId }) {
    const data = partsOf(body);
    const count = { parts: data.length, contacts: contacts.length };
    const keys = deadLetterKeys(id, count);
    const sort = contactSort('DEADLETTER', since);
    for (const [index, contact] of contacts.entries()) {
      const key = keys.contacts[index];
      const set = { contact: contactName(contact), contactSort: sort, keptAt: at, keepId, ...count };
      if (key) await table.update({ key, set, condition: IS_LATEST });
    }
    for (const [index, part] of data.entries()) {
      const key = keys.parts[index];
      if (key) await table.update({ key, set: { data: part } });
    }
    const index = { stateShard: deadLetterShard(queue), stateAt: since };
    await table.update({
      key: keys.item,
      set: { queue, reason, groupId, traceparent, since, keptAt: at, keepId, ...count, ...index },
      condition: IS_LATEST,
    });
  },

  async list(queue, { limit, after }) {
    const { items, next } = await table.query({
      ...stateQuery(deadLetterShard(queue)),
      Limit: limit,
      ...(after && { after }),
    });
    const ids = items.map(({ pk }) => idOf(pk));
    const found = await table.getAll(ids.map((id) => deadLetterKeys(id).item));
    const deadLetters = found.flatMap((item, index) => {
      if (item === undefined) return [];
      const { parts: _parts, contacts: _contacts, keepId: _keepId, ...deadLetter } = parseDeadLetter(item);
      return [{ id: ids[index] ?? '', ...deadLetter }];
    });
    return { deadLetters, ...(next && { next: z.parse(z.record(z.string(), z.string()), next) }) };
  },

  async read(id) {
    const item = await table.get(deadLetterKeys(id).item);
    if (item === undefined) return undefined;
    const { parts, contacts: _contacts, keepId: _keepId, ...deadLetter } = parseDeadLetter(item);
    const read = await table.getAll(deadLetterKeys(id, { parts }).parts);
    if (read.includes(undefined)) return undefined;
    const data = read.map(parsePart);
    return { id, ...deadLetter, body: Buffer.concat(data).toString('utf8') };
  },

  async delete(id) {
    const item = await table.get(deadLetterKeys(id).item);
    return item !== undefined && (await deleteDeadLetter(table, id, parseDeadLetter(item)));
  },
});

/** Splits a body by bytes; a part may end within a character. */
const partsOf = (body: string): readonly Buffer[] => {
  const bytes = Buffer.from(body, 'utf8');
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / PART_BYTES)) }, (_, index) =>
    bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES),
  );
};

const deleteDeadLetter = async (
  table: ConversationTable,
  id: string,
  { keepId, ...count }: DeadLetterContact,
): Promise<boolean> => {
  const { item, parts, contacts } = deadLetterKeys(id, count);
  let isDeleted = false;
  for (const key of [...parts, item]) {
    isDeleted = (await table.delete(key, 'attribute_exists(#pk)', {})) || isDeleted;
  }
  // If the dead letter was kept again meanwhile, the next pass of the erasure deletes it.
  for (const key of contacts) {
    isDeleted = (await table.delete(key, '#keepId = :keepId', { keepId })) || isDeleted;
  }
  return isDeleted;
};

/** How many dead letters one call deletes. */
const ERASURE_PAGE = 25;

/**
 * Deletes the kept dead letters that may be about a contact, whatever its channel. Leaves one until its writer must have
 * ended, because items that the writer adds after the deletion would have no contact.
 *
 * @param now the current time. Newer dead letters are not deleted
 */
export const eraseKeptDeadLetters = async (
  table: ConversationTable,
  { platform, key }: ContactRef,
  now: Instant,
): Promise<ErasedDeadLetters> => {
  const contact = { ...contactRef(platform, ''), key };
  // A dead letter that names no contact is stored under its message group, which can be the hash of the contact's id.
  const group = contactRef(platform, messageGroup(key));
  const results: ErasedDeadLetters[] = [];
  for (const name of new Set([contact, group].map(contactName))) results.push(await erasePage(table, name, now));
  return {
    erased: results.reduce((sum, { erased }) => sum + erased, 0),
    isComplete: results.every(({ isComplete }) => isComplete),
  };
};

interface ErasedDeadLetters {
  readonly erased: number;
  readonly isComplete: boolean;
}

const erasePage = async (table: ConversationTable, contact: string, now: Instant): Promise<ErasedDeadLetters> => {
  const { items, next } = await table.query({
    ...contactQuery(contact, contactSort('DEADLETTER', ''), contactSort('DEADLETTER', now)),
    Limit: ERASURE_PAGE,
  });
  const linked = await table.getAll(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
  // The index lags behind the table.
  const found = linked.filter((item) => item !== undefined);
  let erased = 0;
  for (const { pk, ...item } of found) {
    const named = parseDeadLetterContact(item);
    if (!isKept(named.keptAt, now)) continue;
    await deleteDeadLetter(table, idOf(pk), named);
    erased += 1;
  }
  // A page of deleted ones, which the index still lists, may be followed by others.
  return { erased, isComplete: found.length === 0 && next === undefined };
};
