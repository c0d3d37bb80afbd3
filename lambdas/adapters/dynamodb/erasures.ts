import { ANY_CHANNEL, type CustomerRef } from '../../domain/contact.ts';
import { customersNamed, isOneUser } from '../../domain/customer.ts';
import * as z from '../../domain/schema.ts';
import type { ErasableItem, ErasureRepository } from '../../ports.ts';
import { parseCustomer } from '../../table/customer-item.ts';
import { parseErasure } from '../../table/erasure-item.ts';
import { contactQuery, contactSort, STATUS_SORT } from '../../table/indexes.ts';
import type { Item } from '../../table/item.ts';
import {
  auditKey,
  CHANNELS_KEY,
  contactKeyOf,
  customerKeyOf,
  echoKey,
  erasureKey,
  type ItemKey,
  idOf,
  messageKey,
  parseContactName,
  sendKey,
  subjectName,
  versionKey,
} from '../../table/keys.ts';
import { eraseAuditEntry } from './audit.ts';
import { forgetOtherCustomers, removeContact } from './contact-erasure.ts';
import { leaveCustomer, readAddresses } from './customer-erasure.ts';
import { customersIn } from './customer-links.ts';
import { eraseKeptDeadLetters } from './kept-dead-letters.ts';
import { eraseMessage, eraseVersion } from './message-erasure.ts';
import { customersInEvents, customersNamedIn } from './named-customers.ts';
import { eraseSend } from './send-erasure.ts';
import type { ConversationTable } from './table.ts';
import { endTurnBefore } from './turns.ts';

/** Creates the repository of erasures. It deletes messages, and keeps only a record that each send existed. */
export const createDynamodbErasures = (table: ConversationTable): ErasureRepository => ({
  async read(erasureId) {
    const item = await table.get(erasureKey(erasureId));
    return item && parseErasure(erasureId, item);
  },

  async start(erasureId, requestedAt) {
    await table.update({
      key: erasureKey(erasureId),
      set: { state: 'running', requestedAt, messages: 0, sends: 0, deadLetters: 0, turns: 0 },
      condition: 'attribute_not_exists(#state)',
    });
  },

  async contactsOf(contact) {
    const channels = new Set([contact.channel, ...(await readChannels(table, contact.platform))]);
    return [...channels].map((channel) => ({ ...contact, channel }));
  },

  channelsOf: (platform) => readChannels(table, platform),

  async customersOf(contact) {
    const item = await table.get(contactKeyOf(contact));
    return { user: customersIn(contact, item), named: customersIn(contact, item, customersNamed) };
  },

  async isShared(customer, channels) {
    const items = await table.getAll(channels.map((channel) => customerKeyOf({ ...customer, channel })));
    return items.some((item) => !isOneUser(parseCustomer(item)));
  },

  addressesOf: (customer) => readAddresses(table, customer),

  leaveCustomer: (customer, erasure) => leaveCustomer(table, customer, erasure),

  async removeContact(contact, until) {
    await removeContact(table, contact, until);
  },

  forgetOtherCustomers: (contact) => forgetOtherCustomers(table, contact),

  async endOpenTurn(contact, until) {
    await endTurnBefore(table, contact, until);
  },

  async listItems(subject, until, after) {
    const { kind, key } = after ? z.parse(erasablePosition, after) : { kind: 'MESSAGE' as const, key: undefined };
    const { items: listed, next } = await table.query({
      ...contactQuery(subjectName(subject), ...sortRange(kind, until)),
      Limit: MAX_PAGE_ITEMS,
      ...(key && { after: key }),
    });
    // Also what has the same id, which is erased with it and may name a customer.
    const stored = await table.getAll(listed.flatMap((entry) => keysToRead(kind, entry)));
    const items = new Map(stored.map((item) => [`${item?.pk} ${item?.sk}`, item]));
    const customerIds = new Set(stored.flatMap((item) => customersInEvents(item ?? {})));
    const following = next ? { kind, key: next } : NEXT_KIND[kind] && { kind: NEXT_KIND[kind] };
    return {
      items: listed.map((entry) => {
        const named = customersNamedIn(items.get(`${entry.pk} ${entry.sk}`) ?? {});
        const times = kind === 'STATUS' ? {} : { createdAt: idOf(entry.contactSort) };
        return { ...describeItem(kind, entry, items), ...times, ...(named.length > 0 && { customerIds: named }) };
      }),
      customers: [...customerIds].map((customerId): CustomerRef => ({ platform: subject.platform, customerId })),
      ...(following && { next: following }),
    };
  },

  async erase(subject, item, at) {
    const contact = subjectName(subject);
    if (item.kind === 'send') return eraseSend(table, item, contact, at);
    if (item.kind === 'audit') return eraseAuditEntry(table, auditKey(item.id), contact, at);
    if (item.kind === 'version') return eraseVersion(table, item, contact);
    return eraseMessage(table, item, contact);
  },

  eraseKeptDeadLetters: (...search) => eraseKeptDeadLetters(table, ...search),

  async recordPass(before, { messages, sends, deadLetters, finishedAt }) {
    await table.update({
      key: erasureKey(before.erasureId),
      set: {
        messages: before.messages + messages,
        sends: before.sends + sends,
        deadLetters: before.deadLetters + deadLetters,
        turns: before.passes + 1,
        state: finishedAt === undefined ? 'running' : 'done',
        finishedAt,
      },
      values: { turnsBefore: before.passes },
      condition: '#turns = :turnsBefore',
    });
  },
});

const readChannels = async (table: ConversationTable, platform: string): Promise<readonly string[]> => {
  const names = z.parse(channelNames, (await table.get(CHANNELS_KEY))?.channels ?? new Set());
  const known = [...names].flatMap((name) => parseContactName(name) ?? []);
  return [ANY_CHANNEL, ...known.filter((each) => each.platform === platform).map(({ channel }) => channel)];
};

const channelNames = z.set(z.string());
const idSet = z.set(z.string());

/** Limits the memory for a page, whose items can have 400 KB each. */
const MAX_PAGE_ITEMS = 100;

const KINDS = ['MESSAGE', 'VERSION', 'STATUS', 'SEND', 'AUDIT'] as const;
type Kind = (typeof KINDS)[number];

/** The order in which a subject's items are listed. */
const NEXT_KIND: { readonly [Of in Kind]?: Kind } = {
  MESSAGE: 'VERSION',
  VERSION: 'STATUS',
  STATUS: 'SEND',
  SEND: 'AUDIT',
};

const erasablePosition = z.object({
  kind: z.enum(KINDS),
  /** The position in the index. */
  key: z.optional(z.record(z.string(), z.unknown())),
});

/** A status has no time in the index. Without its message, it belongs to nothing that is kept. */
const sortRange = (kind: Kind, until: string): readonly [from: string, until: string] =>
  kind === 'STATUS' ? [STATUS_SORT, STATUS_SORT] : [contactSort(kind, ''), contactSort(kind, until)];

const keysToRead = (kind: Kind, { pk, sk }: Item): readonly ItemKey[] => {
  const id = idOf(pk);
  switch (kind) {
    case 'AUDIT':
      return [];
    case 'SEND':
      return [sendKey(id)];
    case 'VERSION':
      return [versionKey(id, idOf(sk))];
    default:
      return [messageKey(id), echoKey(id)];
  }
};

/** @param items the items that were read for the page, by key */
const describeItem = (kind: Kind, { pk, sk }: Item, items: ReadonlyMap<string, Item | undefined>): ErasableItem => {
  const id = idOf(pk);
  const item = items.get(`${pk} ${sk}`);
  if (kind === 'SEND') {
    const messageIds = item?.messageIds === undefined ? {} : { messageIds: [...z.parse(idSet, item.messageIds)] };
    return { kind: 'send', id, isScheduled: item?.scheduledAt !== undefined, ...messageIds };
  }
  if (kind === 'AUDIT') return { kind: 'audit', id };
  if (kind === 'VERSION') return { kind: 'version', id, versions: [idOf(sk)] };
  const [message, echo] = [items.get(`${pk} MESSAGE`), items.get(`${pk} ECHO`)];
  const isErased = message?.erasedAt === undefined ? {} : { isErased: true };
  if (kind === 'STATUS') return { kind: 'status', id, ...isErased };
  const versions = [message, echo].flatMap((each) =>
    each?.versions === undefined ? [] : [...z.parse(idSet, each.versions)],
  );
  return { kind: sk === 'ECHO' ? 'echo' : 'message', id, ...isErased, ...(versions.length > 0 && { versions }) };
};
