import { createHash } from 'node:crypto';
import type { ContactRef } from '../../domain/contact.ts';
import { DamagedItemError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import { expiryAfter, expiryAfterDays } from '../../domain/retention.ts';
import { WINDOW_MS } from '../../domain/window.ts';
import type { ContactRepository } from '../../ports.ts';
import { parseCircuit, parseStop } from '../../table/account-item.ts';
import { readConsents } from '../../table/consent-item.ts';
import { parseContact } from '../../table/contact-item.ts';
import {
  accountKey,
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
  denialKeyOf,
  handoverKeyOf,
  type ItemKey,
} from '../../table/keys.ts';
import { recordConsent } from './consents.ts';
import type { ConversationTable } from './table.ts';

const CHECK_DAYS = 90;

/**
 * Creates the repository of contacts. Data that expires at a different time is in a separate item, because writes to a
 * shared item could not set its expiry without reading it.
 *
 * @param readsHandovers whether to read when contacts were handed over to people, which costs one more item
 */
export const createDynamodbContacts = (
  table: ConversationTable,
  { readsHandovers }: { readonly readsHandovers: boolean },
): ContactRepository => ({
  async read(contact, now) {
    return parseContact(await table.getAll(keysOf(contact, readsHandovers)), now);
  },

  async readMany(contacts, now) {
    const keys = contacts.map((contact) => keysOf(contact, readsHandovers));
    const items = await table.getAll(keys.flat());
    return keys.map(({ length }, index) => {
      try {
        return parseContact(items.slice(index * length, (index + 1) * length), now);
      } catch (error) {
        // One contact must not keep the others from being read.
        if (error instanceof DamagedItemError) return 'damaged';
        throw error;
      }
    });
  },

  async readWithAccount(contact, account, now) {
    const items = await table.getAll([...keysOf(contact, readsHandovers), accountKey(account)]);
    const stop = parseStop(items.at(-1));
    return {
      contact: parseContact(items.slice(0, -1), now) ?? {},
      circuit: parseCircuit(items.at(-1)),
      ...(stop && { stop }),
    };
  },

  async readConsents(contact) {
    return readConsents((await table.get(consentKeyOf(contact))) ?? {});
  },

  async openWindow({ contact, id, time, body, address, name, customerId, isImported }) {
    await table.update({
      key: contactKeyOf(contact),
      set: {
        lastInboundAt: time.at,
        lastInboundId: id,
        lastInboundOwnAt: time.own,
        // Breaks the tie between messages of the same millisecond, regardless of their order.
        lastInboundDigest: `${isImported ? BELOW_BASE64 : ''}${createHash('sha256').update(body).digest('base64')}`,
        address,
        name,
        customerId,
        expiresAt: table.expiryOf('contacts', time.at),
      },
      condition:
        'attribute_not_exists(#lastInboundAt) OR #lastInboundAt < :lastInboundAt OR ' +
        '(#lastInboundAt = :lastInboundAt AND #lastInboundDigest < :lastInboundDigest)',
    });
  },

  async denyWindow(contact, at) {
    await table.update({
      key: denialKeyOf(contact),
      // By then, the window that it denies has closed, whenever the user wrote.
      set: { windowDeniedAt: at, expiresAt: expiryAfter(at, WINDOW_MS) },
      condition: 'attribute_not_exists(#windowDeniedAt) OR #windowDeniedAt < :windowDeniedAt',
    });
  },

  async recordCheck(contact, { checkedAt, checkedAddress }) {
    await table.update({
      key: checkKeyOf(contact),
      set: { checkedAt, checkedAddress, expiresAt: expiryAfterDays(checkedAt, CHECK_DAYS) },
      condition: 'attribute_not_exists(#checkedAt) OR #checkedAt < :checkedAt',
    });
  },

  async recordOperatorMessage(contact, { at, until }) {
    await moveForward(table, contact, 'operatorWroteAt', at, { operatorUntil: until });
  },

  async recordHandover(contact, to, at) {
    await moveForward(table, contact, to === 'people' ? 'handoverAt' : 'handbackAt', at);
  },

  recordConsent: (contact, consent) => recordConsent(table, contact, consent),
});

/** Sorts before every digest, so that an event that was delivered takes precedence over the same from the history. */
const BELOW_BASE64 = '!';

/** Moves one of the times of a contact's handover forward, and the item's expiry with the latest of them. */
const moveForward = async (
  table: ConversationTable,
  contact: ContactRef,
  name: 'operatorWroteAt' | 'handoverAt' | 'handbackAt',
  at: Instant,
  others: Readonly<Record<string, unknown>> = {},
): Promise<void> => {
  const key = handoverKeyOf(contact);
  const set = { [name]: at, ...others };
  const expiresAt = table.expiryOf('contacts', at);
  const isLater = `(attribute_not_exists(#${name}) OR #${name} < :${name})`;
  const isLatest = '(attribute_not_exists(#expiresAt) OR #expiresAt <= :expiresAt)';
  const result = await table.update({ key, set: { ...set, expiresAt }, condition: `${isLater} AND ${isLatest}` });
  if (result.kind === 'written') return;
  // Another time of the item is later, and so is its expiry.
  await table.update({ key, set, setOnce: { expiresAt }, condition: isLater });
};

/** Returns the keys of a contact's own items. */
const keysOf = (contact: ContactRef, readsHandovers: boolean): readonly ItemKey[] =>
  [...KEYS, ...(readsHandovers ? [handoverKeyOf] : [])].map((keyOf) => keyOf(contact));

const KEYS = [contactKeyOf, consentKeyOf, checkKeyOf, denialKeyOf] as const;
