import { ANY_CHANNEL, contactRef, type DataSubject, messageGroup } from '../../domain/contact.ts';
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
import type { Item } from '../../table/item.ts';
import { CUSTOMER_PREFIX, contactName, deadLetterKeys, idOf, subjectName } from '../../table/keys.ts';
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
  async keep({ id, queue, reason, body, groupId, traceparent, since }, subjects, { at, keepId }) {
    const data = partsOf(body);
    const count = { parts: data.length, contacts: subjects.length };
    const keys = deadLetterKeys(id, count);
    const sort = contactSort('DEADLETTER', since);
    for (const [index, subject] of subjects.entries()) {
      const key = keys.contacts[index];
      const set = { contact: subjectName(subject), contactSort: sort, keptAt: at, keepId, ...count };
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

/** How many dead letters one call deletes of each subject. */
const ERASURE_PAGE = 25;

/**
 * Deletes the kept dead letters that may be about any of the subjects, whatever their channels. Leaves one until its
 * writer must have ended, because items that the writer adds after the deletion would have no contact.
 *
 * @param now the current time. Newer dead letters are not deleted
 * @param separatedKeys the keys of addresses whose dead letters stay although they name one of the customers
 */
export const eraseKeptDeadLetters = async (
  table: ConversationTable,
  subjects: readonly DataSubject[],
  now: Instant,
  separatedKeys: readonly string[] = [],
): Promise<ErasedDeadLetters> => {
  const results: ErasedDeadLetters[] = [];
  for (const name of new Set(subjects.flatMap(namesOf))) {
    const platforms = subjects.map(({ platform }) => platform);
    const separated = platforms.flatMap((platform) => separatedKeys.map((key) => nameOfKey(platform, key)));
    results.push(await erasePage(table, name, new Set(name.startsWith(CUSTOMER_PREFIX) ? separated : []), now));
  }
  return {
    erased: results.reduce((sum, { erased }) => sum + erased, 0),
    isComplete: results.every(({ isComplete }) => isComplete),
  };
};

/** Returns the names under which the dead letters about a subject are stored. */
const namesOf = (subject: DataSubject): readonly string[] => {
  // A dead letter that names nobody is stored under its message group, which can be the hash of the user's ID.
  if (!('key' in subject)) {
    return [subject.customerId, messageGroup(subject.customerId)].map((customerId) =>
      subjectName({ ...subject, customerId }),
    );
  }
  const { platform, key } = subject;
  return [nameOfKey(platform, key), contactName(contactRef(platform, messageGroup(key)))];
};

const nameOfKey = (platform: string, key: string): string => contactName({ platform, channel: ANY_CHANNEL, key });

interface ErasedDeadLetters {
  readonly erased: number;
  readonly isComplete: boolean;
}

/** Erases the dead letters of the first page that has any. The index lags behind the table, and still lists deleted ones. */
const erasePage = async (
  table: ConversationTable,
  contact: string,
  separated: ReadonlySet<string>,
  now: Instant,
): Promise<ErasedDeadLetters> => {
  let after: Item | undefined;
  do {
    const { items, next } = await table.query({
      ...contactQuery(contact, contactSort('DEADLETTER', ''), contactSort('DEADLETTER', now)),
      Limit: ERASURE_PAGE,
      ...(after && { after }),
    });
    const linked = await table.getAll(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
    const found = [];
    for (const item of linked) {
      if (item !== undefined && !(await isOfAnother(table, item, separated))) found.push(item);
    }
    let erased = 0;
    for (const { pk, ...item } of found) {
      const named = parseDeadLetterContact(item);
      if (!isKept(named.keptAt, now)) continue;
      await deleteDeadLetter(table, idOf(pk), named);
      erased += 1;
    }
    if (found.length > 0) return { erased, isComplete: false };
    after = next;
  } while (after !== undefined);
  return { erased: 0, isComplete: true };
};

/** Whether a dead letter names an address that is not its customer's. */
const isOfAnother = async (
  table: ConversationTable,
  { pk, ...item }: Item,
  separated: ReadonlySet<string>,
): Promise<boolean> => {
  if (separated.size === 0) return false;
  const { contacts } = deadLetterKeys(idOf(pk), parseDeadLetterContact(item));
  return (await table.getAll(contacts)).some((each) => separated.has(String(each?.contact)));
};
