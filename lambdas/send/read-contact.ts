import type { Contact, ContactRef } from '../domain/contact.ts';
import { isTrusted } from '../domain/sending-stop.ts';
import { blockedByStop, rememberCircuit } from './account-view.ts';
import type { SendContext } from './send-context.ts';

/**
 * Reads a contact, without the opt-outs of its customer's other addresses. Reads the account, with its circuit breaker
 * and an operator's stop, in the same call unless it was read recently. Of two reads of the account that overlap, the one
 * that started later counts.
 */
export const readContact = async (context: SendContext, ref: ContactRef): Promise<Contact> => {
  const { contacts, account, accountView: view, clock, metrics } = context;
  const askedAt = clock.now();
  if (isTrusted(view.readAt, askedAt)) return (await contacts.readOwn(ref, askedAt)) ?? {};
  const { contact, circuit, stop } = await contacts.readWithAccount(ref, account, askedAt);
  if (view.circuitKnownAt === undefined || view.circuitKnownAt <= askedAt) rememberCircuit(context, circuit);
  if (view.readAt === undefined || view.readAt <= askedAt) {
    view.stopped = stop && blockedByStop(stop);
    view.readAt = askedAt;
  }
  if (stop !== undefined) metrics.record('SendingStopped', 1);
  return contact;
};

/**
 * Reads a contact as {@link readContact} does, with the opt-outs of its customer's other addresses. The last read before
 * each call must have them.
 */
export const readWithOptOuts = async (context: SendContext, ref: ContactRef): Promise<Contact> => {
  const contact = await readContact(context, ref);
  return { ...contact, consents: await context.contacts.readConsents(ref) };
};
