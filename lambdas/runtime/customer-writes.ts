import type { Consent } from '../domain/consent.ts';
import type { DataSubject } from '../domain/contact.ts';
import { linkPeriod } from '../domain/customer.ts';
import { type Instant, msBetween } from '../domain/instant.ts';
import type { Echo, InboundMessage, StatusChange } from '../domain/webhook-event.ts';
import type { Clock, ContactRepository } from '../ports.ts';

/** What this process has recorded. A service may repeat it all the time, so it is recorded once. */
export interface Seen {
  /** The names of unknown events, and since when each exists. */
  readonly names: Map<string, Instant>;
  /** The customers that statuses and echoes named with an address, and when that was recorded last. */
  readonly customers: Map<string, Instant>;
}

export const createSeen = (): Seen => ({ names: new Map(), customers: new Map() });

/**
 * Returns the write that links the address and the customer that a status or an echo names, because the user may never
 * write. Returns undefined if the event does not name both, or if this process has just recorded them.
 */
export const customerWriteOf = (
  { customerId, time }: Echo | StatusChange,
  subject: DataSubject | undefined,
  clock: Clock,
  { customers }: Seen,
): ((contacts: Pick<ContactRepository, 'linkCustomer'>) => Promise<void>) | undefined => {
  if (customerId === undefined || subject === undefined || !('key' in subject)) return undefined;
  const named = JSON.stringify([subject, customerId, linkPeriod(time.at)]);
  const now = clock.now();
  const recordedAt = customers.get(named);
  if (recordedAt !== undefined && msBetween(recordedAt, now) < SEEN_CUSTOMER_MS) return undefined;
  return async (contacts) => {
    await contacts.linkCustomer({ contact: subject, customerId }, time.at);
    if (customers.size >= MAX_SEEN_CUSTOMERS) customers.clear();
    customers.set(named, now);
  };
};

/** A message's statuses arrive within minutes. An erasure may remove what was recorded. */
const SEEN_CUSTOMER_MS = 10 * 60 * 1000;
/** A few megabytes. */
const MAX_SEEN_CUSTOMERS = 10_000;

/**
 * Opens the window of a message that is a keyword, and records its consent: an opt-out for every customer that the user is,
 * so that it holds for all of the user's addresses.
 */
export const recordConsent = async (
  contacts: Pick<ContactRepository, 'openWindow' | 'recordConsent'>,
  message: InboundMessage,
  consent: Consent,
): Promise<void> => {
  await contacts.recordConsent(message.contact, consent);
  // After the consent, so that an event that links the contact to a customer meanwhile finds it.
  const customers = await contacts.openWindow(message);
  if (consent.kind === 'opt-in') return;
  for (const customer of customers) await contacts.recordConsent(customer, consent);
};
