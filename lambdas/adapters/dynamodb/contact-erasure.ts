import type { ContactRef } from '../../domain/contact.ts';
import type { Instant } from '../../domain/instant.ts';
import { CONSENT_REGISTERS, registersUntil, withoutRegisters } from '../../table/consent-item.ts';
import { parseCustomerLinks } from '../../table/contact-item.ts';
import type { Item } from '../../table/item.ts';
import { checkKeyOf, consentKeyOf, contactKeyOf, denialKeyOf, handoverKeyOf, type ItemKey } from '../../table/keys.ts';
import { untilDone } from './consents.ts';
import type { ConversationTable } from './table.ts';

/** Implements `removeContact` of the port `ErasureRepository`. */
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

/** Implements `forgetOtherCustomers` of the port `ErasureRepository`. */
export const forgetOtherCustomers = async (table: ConversationTable, contact: ContactRef): Promise<void> => {
  const key = contactKeyOf(contact);
  const { customerId, writerIds = [], otherCustomerIds = [] } = parseCustomerLinks((await table.get(key)) ?? {});
  const sets = { writerIds: writerIds.filter((id) => id !== customerId), otherCustomerIds };
  const drop = Object.entries(sets).flatMap(([name, ids]) => (ids.length === 0 ? [] : [[name, new Set(ids)] as const]));
  if (drop.length > 0) await table.update({ key, drop: Object.fromEntries(drop), condition: 'attribute_exists(#pk)' });
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
  stored: Item | undefined,
  until: string,
): Promise<void> => {
  let item = stored;
  await untilDone(async () => {
    const old = registersUntil(item ?? {}, until);
    if (old.length === 0) return true;
    const result = await table.update({
      key,
      set: withoutRegisters(old),
      values: { until },
      // Another erasure may have deleted the item, and an update would create it again.
      condition: ['attribute_exists(#pk)', ...old.map(({ recordedAt }) => isOld(recordedAt))].join(' AND '),
    });
    item = result.item;
    return result.kind === 'written';
  });
};
