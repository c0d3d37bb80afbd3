import type { ContactRef } from '../domain/contact.ts';
import type { ContactRecord } from '../domain/contact-record.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type * as z from '../domain/schema.ts';
import { isWindowOpen, WINDOW_MS } from '../domain/window.ts';
import type { Clock, ConversationDesk } from '../ports.ts';
import { type Answer, ok, problem } from './answer.ts';
import { type AskedContact, type ContactNaming, contactOf } from './contact-of.ts';
import { type ManagementCall, readQuery } from './input.ts';
import { contactQuery } from './requests.ts';
import type { contactResponse } from './responses.ts';

export interface ContactPorts extends ContactNaming {
  readonly desk: ConversationDesk;
  readonly clock: Clock;
  readonly windowMarginMs: number;
}

/** A contact with its window, its consents and its latest check. */
export const createGetContact =
  (ports: ContactPorts) =>
  async (call: ManagementCall): Promise<Answer> => {
    const query = readQuery(contactQuery, call.query);
    if (query.kind === 'faulty') return query.answer;
    return answerContact(ports, { ...query.value, platformContactId: call.id });
  };

/** Answers with the contact as it stands now. */
export const answerContact = async (ports: ContactPorts, asked: AskedContact): Promise<Answer> => {
  const ref = contactOf(ports, asked);
  const contact = await ports.desk.readContact(ref);
  const { platformContactId } = asked;
  return contact ? ok(contactView(ports, ref, platformContactId, contact)) : contactNotFound(platformContactId);
};

export const contactNotFound = (asked: string): Answer =>
  problem(404, 'CONTACT_NOT_FOUND', `Nothing is known of the contact ${asked}.`);

const contactView = (
  { clock, windowMarginMs }: ContactPorts,
  { platform }: ContactRef,
  asked: string,
  contact: ContactRecord,
): z.output<typeof contactResponse> => {
  const { address, name, customerId, lastInboundAt, checkedAt, checkedAddress } = contact;
  return {
    platformContactId: address ?? asked,
    chatPlatform: platform,
    name,
    customerId,
    window: {
      open: isWindowOpen(contact, clock.now(), windowMarginMs),
      lastInboundAt,
      closesAt: lastInboundAt && addMs(lastInboundAt, WINDOW_MS - windowMarginMs),
    },
    optIn: consent(contact.optInAt, contact.optInSource),
    optOut: consent(contact.optOutAt, contact.optOutSource),
    check:
      checkedAt === undefined
        ? undefined
        : { at: checkedAt, onPlatform: checkedAddress !== undefined, platformContactId: checkedAddress },
  };
};

const consent = (at: Instant | undefined, source: string | undefined) =>
  at === undefined ? undefined : { at, source };
