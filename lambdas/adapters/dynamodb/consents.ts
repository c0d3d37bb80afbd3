import type { Consent } from '../../domain/consent.ts';
import type { ChannelCustomer, ContactRef } from '../../domain/contact.ts';
import { ItemBusyError } from '../../domain/errors.ts';
import { type ConsentRegister, consentRegister } from '../../table/consent-item.ts';
import type { Item } from '../../table/item.ts';
import { consentKeyOf, customerKeyOf } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/** Implements `recordConsent` of the port `ContactRepository`. The opt-outs of a customer are in the customer's item. */
export const recordConsent = async (
  table: ConversationTable,
  subject: ContactRef | ChannelCustomer,
  consent: Consent,
): Promise<void> => {
  const { at, source, recordedAt = at, messageId, ownAt } = consent;
  const names = consentRegister(consent);
  const isContact = 'key' in subject;
  const key = isContact ? consentKeyOf(subject) : customerKeyOf(subject);
  const latest = {
    [names.at]: at,
    [names.source]: source,
    [names.recordedAt]: recordedAt,
    [names.messageId]: messageId,
    // A customer with opt-outs does not expire.
    ...(!isContact && { expiresAt: undefined }),
  };
  const own = { [names.ownAt]: ownAt };
  const condition = isLaterConsent(names, messageId);
  if (consent.kind === 'opt-in') {
    await table.update({ key, set: { ...latest, ...own }, condition });
    return;
  }
  // The latest own time is stored independently: a later opt-out can have an earlier own time, or none.
  const isLatestOwn = `(attribute_not_exists(#${names.ownAt}) OR #${names.ownAt} <= :${names.ownAt})`;
  await untilDone(async () => {
    const result = await table.update(
      ownAt === undefined
        ? { key, set: latest, condition }
        : { key, set: { ...latest, ...own }, condition: `(${condition}) AND ${isLatestOwn}` },
    );
    if (result.kind === 'written') return true;
    if (ownAt !== undefined) {
      if (isCovered(result.item, names, consent)) return true;
      await table.update({ key, set: latest, condition });
      await table.update({ key, set: own, condition: `attribute_exists(#${names.at}) AND ${isLatestOwn}` });
    }
    // An erasure that was requested before this opt-out would remove the stored consent, which is a later opt-out.
    const recorded = await table.update({
      key,
      set: { [names.recordedAt]: recordedAt },
      values: { at },
      condition: `#${names.at} >= :at AND ${isRecordedEarlier(names)}`,
    });
    // If an erasure removed the stored consent meanwhile, this one may not be recorded.
    return recorded.kind === 'written' || String(recorded.item?.[names.at] ?? '') >= at;
  });
};

/**
 * Repeats a write until it succeeds, because concurrent writes of the same item can make it fail.
 *
 * @throws ItemBusyError if it keeps failing
 */
export const untilDone = async (change: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (await change()) return;
  }
  throw new ItemBusyError('Other calls keep writing the item.');
};

const MAX_ATTEMPTS = 10;

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
