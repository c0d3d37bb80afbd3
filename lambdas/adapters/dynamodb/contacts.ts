import { createHash } from 'node:crypto';
import type { Consent } from '../../domain/consent.ts';
import type { ContactRef } from '../../domain/contact.ts';
import { DamagedItemError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import { expiryAfter, expiryAfterDays } from '../../domain/retention.ts';
import { WINDOW_MS } from '../../domain/window.ts';
import type { ContactRepository } from '../../ports.ts';
import { parseCircuit, parseStop } from '../../table/account-item.ts';
import { CONSENT_REGISTERS, type ConsentRegister, consentRegister, readConsents } from '../../table/consent-item.ts';
import { parseContact } from '../../table/contact-item.ts';
import type { Item } from '../../table/item.ts';
import {
  accountKey,
  checkKeyOf,
  consentKeyOf,
  contactKeyOf,
  denialKeyOf,
  handoverKeyOf,
  type ItemKey,
} from '../../table/keys.ts';
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
  { readsHandovers = false }: { readonly readsHandovers?: boolean } = {},
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

  async recordConsent(contact, consent) {
    await recordConsent(table, contact, consent);
  },
});

/** Sorts before every digest, so that an event that was delivered takes precedence over the same from the history. */
const BELOW_BASE64 = '!';

const recordConsent = async (table: ConversationTable, contact: ContactRef, consent: Consent): Promise<void> => {
  const { at, source, recordedAt = at, messageId, ownAt } = consent;
  const names = consentRegister(consent);
  const key = consentKeyOf(contact);
  const latest = {
    [names.at]: at,
    [names.source]: source,
    [names.recordedAt]: recordedAt,
    [names.messageId]: messageId,
  };
  const own = { [names.ownAt]: ownAt };
  const condition = isLaterConsent(names, messageId);
  if (consent.kind === 'opt-in') {
    await table.update({ key, set: { ...latest, ...own }, condition });
    return;
  }
  // The latest own time is stored independently: a later opt-out can have an earlier own time, or none.
  const isLatestOwn = `(attribute_not_exists(#${names.ownAt}) OR #${names.ownAt} <= :${names.ownAt})`;
  const result = await table.update(
    ownAt === undefined
      ? { key, set: latest, condition }
      : { key, set: { ...latest, ...own }, condition: `(${condition}) AND ${isLatestOwn}` },
  );
  if (result.kind === 'written') return;
  if (ownAt !== undefined) {
    if (isCovered(result.item, names, consent)) return;
    await table.update({ key, set: latest, condition });
    await table.update({
      key,
      set: own,
      condition: `attribute_exists(#${names.at}) AND ${isLatestOwn}`,
    });
  }
  // An erasure that was requested before this opt-out would remove the register with the later opt-out in it.
  const recorded = await table.update({
    key,
    set: { [names.recordedAt]: recordedAt },
    values: { at },
    condition: `#${names.at} >= :at AND ${isRecordedEarlier(names)}`,
  });
  // An erasure has removed the later opt-out meanwhile.
  const isRemoved = recorded.kind === 'conflict' && String(recorded.item?.[names.at] ?? '') < at;
  if (isRemoved) await recordConsent(table, contact, consent);
};

/** Whether a stored opt-out is at least as late as another one in each of its times, so no write is needed. */
const isCovered = (
  item: Item | undefined,
  names: ConsentRegister,
  { at, recordedAt = at, messageId, ownAt = '' }: Consent,
): boolean => {
  const stored = (name: string) => String(item?.[name] ?? '');
  const isLater = stored(names.at) > at || (stored(names.at) === at && item?.[names.messageId] === messageId);
  return isLater && stored(names.ownAt) >= ownAt && stored(names.recordedAt) >= recordedAt;
};

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

const isLaterConsent = (
  { at, source, recordedAt, ...names }: ConsentRegister,
  messageId: string | undefined,
): string => {
  const isSame = `#${at} = :${at} AND #${source} = :${source}`;
  return [
    `attribute_not_exists(#${at}) OR #${at} < :${at} OR (#${at} = :${at} AND #${source} < :${source})`,
    // The same consent is recorded again after an erasure was requested, because the erasure removes earlier records.
    `(${isSame} AND ${isRecordedEarlier({ recordedAt })})`,
    // A user can write a keyword twice in one millisecond.
    ...(messageId === undefined
      ? []
      : [`(${isSame} AND #${recordedAt} = :${recordedAt} AND #${names.messageId} < :${names.messageId})`]),
  ].join(' OR ');
};

/** A consent without `recordedAt` counts as recorded before any other consent, and before every erasure. */
const isRecordedEarlier = ({ recordedAt }: Pick<ConsentRegister, 'recordedAt'>): string =>
  `(attribute_not_exists(#${recordedAt}) OR #${recordedAt} < :${recordedAt})`;

/** Returns the keys of a contact's own items. */
const keysOf = (contact: ContactRef, readsHandovers: boolean): readonly ItemKey[] =>
  [...KEYS, ...(readsHandovers ? [handoverKeyOf] : [])].map((keyOf) => keyOf(contact));

const KEYS = [contactKeyOf, consentKeyOf, checkKeyOf, denialKeyOf] as const;

/** Implements `removeContact` of the port `ErasureRepository`, beside the items that it removes. */
export const removeContact = async (table: ConversationTable, contact: ContactRef, until: Instant): Promise<void> => {
  const [window, consents] = [contactKeyOf(contact), consentKeyOf(contact)];
  const recordedAt = CONSENT_REGISTERS.map((names) => names.recordedAt);
  await table.delete(window, isOld('lastInboundAt'), { until });
  await table.delete(consents, recordedAt.map(isOld).join(' AND '), { until });
  await removeOldHandovers(table, handoverKeyOf(contact), until);
  const [newWindow, newConsents] = await table.getAll([window, consents]);
  await removeOldConsents(table, consents, newConsents, until);
  // Functions may have recorded these since, about earlier sends. They alone do not make a new contact.
  const isNew = newWindow !== undefined || newConsents !== undefined;
  const byFunctions = [
    { key: checkKeyOf(contact), time: 'checkedAt' },
    { key: denialKeyOf(contact), time: 'windowDeniedAt' },
  ];
  for (const { key, time } of byFunctions) {
    if (isNew) await table.delete(key, isOld(time), { until });
    else await table.delete(key, `attribute_exists(#${time})`, {});
  }
};

const HANDOVER_TIMES = ['handoverAt', 'handbackAt', 'operatorWroteAt'] as const;

/** Removes the times until then. Later ones belong to a new contact. */
const removeOldHandovers = async (table: ConversationTable, key: ItemKey, until: Instant): Promise<void> => {
  const isRemoved = await table.delete(key, HANDOVER_TIMES.map(isOld).join(' AND '), { until });
  if (isRemoved) return;
  for (const name of HANDOVER_TIMES) {
    const removed =
      name === 'operatorWroteAt' ? { [name]: undefined, operatorUntil: undefined } : { [name]: undefined };
    await table.update({ key, set: removed, values: { until }, condition: `#${name} <= :until` });
  }
};

/** The condition that an item, or a part of it, was written before the erasure was requested, or does not exist. */
const isOld = (time: string): string => `(attribute_not_exists(#${time}) OR #${time} <= :until)`;

/**
 * Removes the consents that were recorded until then from an item that has later ones. It removes all of them at once,
 * so that none ever applies without the others. If one was recorded again meanwhile, it removes the rest.
 */
const removeOldConsents = async (
  table: ConversationTable,
  key: ItemKey,
  item: Item | undefined,
  until: string,
): Promise<void> => {
  const old = CONSENT_REGISTERS.filter(
    ({ at, recordedAt }) => item?.[at] !== undefined && String(item[recordedAt] ?? '') <= until,
  );
  if (old.length === 0) return;
  const removed = old.flatMap(({ kind: _kind, origin: _origin, ...names }) => Object.values(names));
  const result = await table.update({
    key,
    set: Object.fromEntries(removed.map((name) => [name, undefined])),
    values: { until },
    // Another erasure may have deleted the item, and an update would create it again.
    condition: ['attribute_exists(#pk)', ...old.map(({ recordedAt }) => isOld(recordedAt))].join(' AND '),
  });
  if (result.kind === 'conflict') await removeOldConsents(table, key, result.item, until);
};
