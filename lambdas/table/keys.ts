import type { AccountRef } from '../domain/circuit-breaker.ts';
import type { ChannelCustomer, ContactRef, DataSubject } from '../domain/contact.ts';
import type { ChannelRef } from '../domain/watch/channel-rhythm.ts';

/** The key of an item. No key is a channel, stage, or day, which avoids hot partitions. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** Returns a contact's name: the partition key of its items, and of its messages and sends in the index `byContact`. */
export const contactName = ({ platform, channel, key }: ContactRef): string =>
  `CONTACT#${escapePart(platform)}#${escapePart(channel)}#${key}`;

/** Returns the name under which a user's data is stored: the contact's, or the customer's if no address is known. */
export const subjectName = (subject: DataSubject): string =>
  'key' in subject ? contactName(subject) : `${CUSTOMER_PREFIX}${escapePart(subject.platform)}#${subject.customerId}`;

/** The prefix of the name of every customer. */
export const CUSTOMER_PREFIX = 'CUSTOMER#';

/** Returns the ID of the customer that a name stands for. Returns undefined for any other name. */
export const customerIdIn = (name: string): string | undefined =>
  name.startsWith(CUSTOMER_PREFIX) ? name.split('#').slice(2).join('#') : undefined;

/** Returns the key of the item for a customer's addresses and opt-outs. */
export const customerKeyOf = ({ channel, ...customer }: ChannelCustomer): ItemKey => ({
  pk: subjectName(customer),
  sk: `CUSTOMER#${channel}`,
});

/** Returns the part of a contact's name that all contacts of a business number share. */
export const channelOf = (name: unknown): string | undefined => {
  const contact = parseContactName(name);
  return contact === undefined || contact.channel === '*' ? undefined : contactName({ ...contact, key: '' });
};

/** The names of all business numbers with contacts, from {@link channelOf}. Written once per number and process. */
export const CHANNELS_KEY: ItemKey = { pk: 'CHANNELS', sk: 'CHANNELS' };

/** Parses a name from {@link contactName}. Returns undefined for anything else. */
export const parseContactName = (name: unknown): ContactRef | undefined => {
  if (typeof name !== 'string' || !name.startsWith('CONTACT#')) return undefined;
  const [, platform, channel, ...key] = name.split('#');
  return platform === undefined || channel === undefined
    ? undefined
    : { platform: unescapePart(platform), channel: unescapePart(channel), key: key.join('#') };
};

/** Parses a name from {@link subjectName}. Returns undefined for anything else. */
export const parseSubjectName = (name: unknown): DataSubject | undefined => {
  if (typeof name !== 'string' || !name.startsWith(CUSTOMER_PREFIX)) return parseContactName(name);
  const [, platform = '', ...customerId] = name.split('#');
  return { platform: unescapePart(platform), customerId: customerId.join('#') };
};

/** Returns the key of the item for a contact's window, address, and name, which expires after its last message. */
export const contactKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'CONTACT' });

/** Returns the key of the item for a contact's consents, which does not expire. */
export const consentKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'CONSENT' });

/** Returns the key of the item for a contact's latest contact check, which expires after it. */
export const checkKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'CHECK' });

/** Returns the key of the item for the latest time that the chat service reported a contact's window closed. */
export const denialKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'DENIAL' });

/** Returns the key of the item for when a contact was handed over to people, and back. */
export const handoverKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'HANDOVER' });

/** Returns the key of the item for a contact's open turn, which exists until the turn ends. */
export const turnKeyOf = (contact: ContactRef): ItemKey => ({ pk: contactName(contact), sk: 'TURN' });

/** Returns the key of the item for an `_id_`, which holds the message and its statuses. */
export const messageKey = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'MESSAGE' });

/** Returns the key of a message's echo, which can name another contact and be as large as an item can be. */
export const echoKey = (id: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: 'ECHO' });

/** Returns the key of an earlier version of a message or an echo, by its digest. */
export const versionKey = (id: string, digest: string): ItemKey => ({ pk: `MESSAGE#${id}`, sk: `VERSION#${digest}` });

/** Returns the key of the item that says when an event that Parley does not know, by its name, was first seen. */
export const unknownNameKey = (name: string): ItemKey => ({ pk: `UNKNOWN#${name}`, sk: 'UNKNOWN' });

/** Returns the key of the item that links the chat service's id of a call to its request and its message. */
export const transactionKey = (transactionId: string): ItemKey => ({
  pk: `TRANSACTION#${transactionId}`,
  sk: 'TRANSACTION',
});

export const sendKey = (requestId: string): ItemKey => ({ pk: `SEND#${requestId}`, sk: 'SEND' });

/** Running functions read the account's item every few seconds, but write it only when the circuit changes. */
export const accountKey = ({ platform, channel }: AccountRef): ItemKey => ({
  pk: `ACCOUNT#${escapePart(platform)}#${channel}`,
  sk: 'ACCOUNT',
});

/** Returns the key of the item of a channel, which says since when it exists and whether it is silent. */
export const channelKey = (channel: ChannelRef): ItemKey => ({ pk: channelName(channel), sk: 'CHANNEL' });

/** Returns the key of the item of a channel's day, such as `2026-11-27`. Each process writes it once in five minutes. */
export const channelDayKey = (channel: ChannelRef, day: string): ItemKey => ({
  pk: channelName(channel),
  sk: `DAY#${day}`,
});

/** Returns a channel's name: the partition key of its items. */
export const channelName = ({ platform, line }: ChannelRef): string => `CHANNEL#${escapePart(platform)}#${line}`;

/** Returns the channel that a name stands for. */
export const parseChannelName = (name: unknown): ChannelRef | undefined => {
  const [kind, platform, line] = typeof name === 'string' ? name.split('#') : [];
  if (kind !== 'CHANNEL' || platform === undefined || line === undefined) return undefined;
  return { platform: unescapePart(platform), line };
};

export const erasureKey = (erasureId: string): ItemKey => ({ pk: `ERASURE#${erasureId}`, sk: 'ERASURE' });

/**
 * Returns the keys of a kept dead letter: its item, the parts of its body, and one item for each contact that it may be
 * about. The parts keep a body of 1 MiB within DynamoDB's maximum item size of 400 KB.
 */
export const deadLetterKeys = (id: string, { parts = 0, contacts = 0 } = {}) => {
  const pk = `DEADLETTER#${id}`;
  return {
    item: { pk, sk: 'DEADLETTER' },
    parts: Array.from({ length: parts }, (_, index) => ({ pk, sk: `PART#${index}` })),
    contacts: Array.from({ length: contacts }, (_, index) => ({ pk, sk: `CONTACT#${index}` })),
  };
};

/** Returns the key of an entry of the audit trail. */
export const auditKey = (id: string): ItemKey => ({ pk: `AUDIT#${id}`, sk: 'AUDIT' });

/** Returns the id in a partition key. The id may contain the separator. */
export const idOf = (pk: unknown): string => String(pk).slice(String(pk).indexOf('#') + 1);

/** Escapes the separator, which only the last part of a key may contain. Otherwise two contacts could share a key. */
const escapePart = (part: string): string => part.replaceAll('%', '%25').replaceAll('#', '%23');

const unescapePart = (part: string): string => part.replaceAll('%23', '#').replaceAll('%25', '%');
