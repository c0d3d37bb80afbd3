import { type ErasureRecord, erasureRecord } from '../../domain/erasure.ts';
import * as z from '../../domain/schema.ts';
import { SEND_TRANSITIONS } from '../../domain/send-transitions.ts';
import type { ErasableItem, ErasureRepository } from '../../ports.ts';
import {
  BY_CONTACT,
  contactKeyOf,
  contactName,
  contactSort,
  echoKey,
  erasureKey,
  idOf,
  messageKey,
  sendKey,
} from './keys.ts';
import { type ConversationTable, type Item, parseItem } from './table.ts';

/** Creates the repository of erasures. It deletes messages, and keeps only a record that each send existed. */
export const createDynamodbErasures = (table: ConversationTable): ErasureRepository => ({
  async read(erasureId) {
    const item = await table.get(erasureKey(erasureId));
    return item && parseErasure(erasureId, item);
  },

  async start(erasureId, requestedAt) {
    await table.update({
      key: erasureKey(erasureId),
      set: { state: 'running', requestedAt, messages: 0, sends: 0, turns: 0 },
      condition: 'attribute_not_exists(#state)',
    });
  },

  async removeContact(contact, until) {
    const key = contactKeyOf(contact);
    const times = CONTACT_PARTS.map(([time]) => time);
    const isOld = (time: string) => `(attribute_not_exists(#${time}) OR #${time} <= :until)`;
    if (await table.delete(key, times.map(isOld).join(' AND '), { until }, times)) return;
    for (const [time, ...attributes] of CONTACT_PARTS) {
      await table.update({
        key,
        set: Object.fromEntries([time, ...attributes].map((name) => [name, undefined])),
        values: { until },
        condition: `#${time} <= :until`,
      });
    }
  },

  async listItems(contact, until, after) {
    const { kind, key } = after ? z.parse(erasablePosition, after) : { kind: 'MESSAGE' as const, key: undefined };
    const { items, next } = await table.query({
      IndexName: BY_CONTACT,
      KeyConditionExpression: '#contact = :contact AND #contactSort BETWEEN :from AND :until',
      ExpressionAttributeNames: { '#contact': 'contact', '#contactSort': 'contactSort' },
      values: { contact: contactName(contact), from: contactSort(kind, ''), until: contactSort(kind, until) },
      ...(key && { after: key }),
    });
    const following = next ? { kind, key: next } : kind === 'MESSAGE' ? { kind: 'SEND' } : undefined;
    return { items: items.map(describeItem), ...(following && { next: following }) };
  },

  erase: (contact, item, at) =>
    item.kind === 'send'
      ? eraseSend(table, item.id, contactName(contact), at)
      : eraseMessage(table, item, contactName(contact)),

  async recordTurn(before, { messages, sends, finishedAt }) {
    await table.update({
      key: erasureKey(before.erasureId),
      set: {
        messages: before.messages + messages,
        sends: before.sends + sends,
        turns: before.turns + 1,
        state: finishedAt === undefined ? 'running' : 'done',
        finishedAt,
      },
      values: { turnsBefore: before.turns },
      condition: '#turns = :turnsBefore',
    });
  },
});

/** What a contact's item consists of, each part with the attribute that says when it was written. */
const CONTACT_PARTS = [
  ['lastInboundAt', 'lastInboundId', 'lastInboundDigest', 'address', 'name', 'customerId'],
  ['windowDeniedAt'],
  ['checkedAt', 'checkedAddress'],
  ['optInRecordedAt', 'optInAt', 'optInSource'],
  ['optOutRecordedAt', 'optOutAt', 'optOutSource'],
] as const;

/** Messages are listed before sends. `key` is the position in the index. */
const erasablePosition = z.object({
  kind: z.enum(['MESSAGE', 'SEND']),
  key: z.optional(z.record(z.string(), z.unknown())),
});

const describeItem = ({ pk, sk }: Item): ErasableItem => ({
  kind: sk === 'SEND' ? 'send' : sk === 'ECHO' ? 'echo' : 'message',
  id: idOf(pk),
});

const parseErasure = (erasureId: string, item: Item): ErasureRecord => parseItem(erasureRecord, { ...item, erasureId });

/**
 * Deletes a message, or an echo, and what has the same id but no contact: the statuses of an echoed message, or an echo
 * that names no user. These are in no index, so they go first: otherwise an interrupted erasure would not find them
 * again.
 */
const eraseMessage = async (
  table: ConversationTable,
  { kind, id }: ErasableItem,
  contact: string,
): Promise<'erased' | 'gone'> => {
  const [listed, unlisted] = kind === 'echo' ? [echoKey(id), messageKey(id)] : [messageKey(id), echoKey(id)];
  await table.delete(unlisted, 'attribute_not_exists(#contact)', {}, ['contact']);
  return (await table.delete(listed, '#contact = :contact', { contact }, ['contact'])) ? 'erased' : 'gone';
};

/** The states in which an erasure cancels a send, because it would otherwise be sent. */
const PENDING = Object.keys(SEND_TRANSITIONS.cancelErased.from);

/** The attributes of a send that can identify the contact or that keep the item in an index. */
const PERSONAL = [
  'contact',
  'contactSort',
  'createdAt',
  'call',
  'decision',
  'outcome',
  'stateShard',
  'stateAt',
  'leaseUntil',
] as const;

/**
 * Erases the content of a send. Keeps the item, so that the request is not sent again if it is queued again. Cancels
 * the send if it is pending, and leaves it to the next turn if a function has claimed it.
 */
const eraseSend = async (
  table: ConversationTable,
  requestId: string,
  contact: string,
  at: string,
): Promise<'erased' | 'gone' | 'busy'> => {
  const emptied = { body: '', erasedAt: at, ...Object.fromEntries(PERSONAL.map((name) => [name, undefined])) };
  const pending = Object.fromEntries(PENDING.map((state) => [state, state]));
  const isPending = `#state IN (${PENDING.map((state) => `:${state}`).join(', ')})`;
  const ended = await table.update({
    key: sendKey(requestId),
    set: emptied,
    names: ['state', 'leaseUntil'],
    values: { ofContact: contact, claimed: 'claimed', now: at, ...pending },
    condition: `#contact = :ofContact AND NOT ${isPending} AND (#state <> :claimed OR #leaseUntil < :now)`,
  });
  if (ended.kind === 'written') return 'erased';
  if (ended.item === undefined || ended.item.contact !== contact) return 'gone';
  const cancelled = await table.update({
    key: sendKey(requestId),
    set: { ...emptied, state: SEND_TRANSITIONS.cancelErased.to, cancelledAt: at },
    values: { ofContact: contact, ...pending },
    condition: `#contact = :ofContact AND ${isPending}`,
  });
  return cancelled.kind === 'written' ? 'erased' : 'busy';
};
