import { partialNumberFault } from '../../domain/address.ts';
import { CONSENT_KINDS, CONSENT_ORIGINS, CONSENT_STATES, consentVerdict } from '../../domain/consent.ts';
import {
  type Contact,
  type ContactDefaults,
  type ContactRef,
  type NamedContact,
  resolveContact,
} from '../../domain/contact.ts';
import type { SendRules } from '../../domain/decision.ts';
import { HANDOVER_STATES, handoverOf } from '../../domain/handovers/handover.ts';
import type { Instant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { isWindowOpen, windowClosesAt } from '../../domain/window.ts';
import type { AuditRepository, Clock, ContactRepository } from '../../ports.ts';
import { type Answer, invalidRequest, ok, problem, problemResponse } from './answer.ts';
import { defineRoute, noBody } from './define-route.ts';
import { eventIdField, storedContactFields } from './fields.ts';

export interface ContactPorts {
  readonly contacts: Pick<ContactRepository, 'read' | 'readOwn' | 'recordConsent' | 'recordHandover'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
  readonly rules: Pick<SendRules, 'operators' | 'windowMarginMs'>;
}

export const origin = z.enum(CONSENT_ORIGINS, `must be ${CONSENT_ORIGINS.join(' or ')}`);

export const contactResponse = z.object({
  /** The user's id as last received, which Parley sends messages to. Before the first message, the id in the call. */
  platformContactId: z.string(),
  chatPlatform: z.string(),
  name: z.optional(z.string()),
  customerId: z.optional(z.string()),
  /** The customer IDs that an operator separated from this contact, although the chat service names them with it. */
  separatedCustomerIds: z.optional(z.readonly(z.array(z.string()))),
  window: z.object({
    /** Whether free-form messages can be sent now. */
    open: z.boolean(),
    lastInboundAt: z.optional(z.string()),
    /** When Parley stops sending free-form messages, `marginSeconds` before the chat service does. */
    closesAt: z.optional(z.string()),
    marginSeconds: z.optional(z.number()),
  }),
  /**
   * The effective consent: whether the business may write to the user first, and the opt-in or opt-out that decides it.
   */
  consent: z.object({
    state: z.enum(CONSENT_STATES),
    at: z.optional(z.string()),
    origin: z.optional(origin),
    source: z.optional(z.string()),
    /** The ID of the message that was a keyword. */
    messageId: z.optional(z.string()),
    /** The user opted out at another address of this customer. */
    customerId: z.optional(z.string()),
  }),
  /** The latest opt-in and opt-out of each origin. */
  consents: z.array(
    z.object({
      kind: z.enum(CONSENT_KINDS),
      origin,
      at: z.string(),
      source: z.string(),
      messageId: z.optional(z.string()),
      customerId: z.optional(z.string()),
    }),
  ),
  /** Who answers the contact. Present if the stage has the setting `operators`. */
  handover: z.optional(
    z.object({
      state: z.enum(HANDOVER_STATES),
      /** Since when people answer, and until when, if the handover ends by itself. */
      since: z.optional(z.string()),
      until: z.optional(z.string()),
      /** When an operator last wrote to the user in the chat service's console. */
      operatorWroteAt: z.optional(z.string()),
    }),
  ),
  check: z.optional(z.object({ at: z.string(), onPlatform: z.boolean(), platformContactId: z.optional(z.string()) })),
});

export type ContactResponse = z.output<typeof contactResponse>;

export const contactQuery = z.strictObject(storedContactFields);

export const getContact = defineRoute({
  route: 'GET /v1/contacts/{platformContactId+}',
  summary: 'Get a contact with its conversation window, consents, and latest contact check',
  id: eventIdField,
  query: contactQuery,
  body: noBody,
  responses: { 200: contactResponse, 400: problemResponse, 404: problemResponse },
  handle: (ports: ContactPorts, { id, query }) => respondWithContact(ports, { ...query, platformContactId: id }),
});

/** Refuses a part of a number that is no contact's. Otherwise, the act would have no effect and report success. */
export const refusePartialNumber = async (
  { contacts }: Pick<ContactPorts, 'contacts'>,
  contact: ContactRef,
  address: string,
  now: Instant,
) => {
  const fault = partialNumberFault(address);
  if (fault === undefined || (await contacts.read(contact, now)) !== undefined) return undefined;
  return invalidRequest([{ field: 'platformContactId', fault, value: JSON.stringify(address) }]);
};

export const respondWithContact = async (ports: ContactPorts, named: NamedContact): Promise<Answer> => {
  const ref = resolveContact(ports.contactDefaults, named);
  const contact = await ports.contacts.read(ref, ports.clock.now());
  const { platformContactId } = named;
  return contact ? ok(viewContact(ports, ref, platformContactId, contact)) : contactNotFound(platformContactId);
};

export const contactNotFound = (platformContactId: string): Answer =>
  problem(
    404,
    'CONTACT_NOT_FOUND',
    `There is no contact with the ID ${platformContactId}. Check the ID; a phone number needs its country code.`,
  );

export const viewContact = (
  { clock, rules }: Pick<ContactPorts, 'clock' | 'rules'>,
  { platform }: ContactRef,
  requestedId: string,
  contact: Contact,
): ContactResponse => {
  const {
    address,
    name,
    customerId,
    separatedCustomerIds,
    lastInboundAt,
    checkedAt,
    checkedAddress,
    consents = [],
  } = contact;
  return {
    platformContactId: address ?? requestedId,
    chatPlatform: platform,
    name,
    customerId,
    separatedCustomerIds,
    window: {
      open: isWindowOpen(contact, clock.now(), rules.windowMarginMs),
      lastInboundAt,
      closesAt: windowClosesAt(contact, rules.windowMarginMs),
      ...(lastInboundAt !== undefined && { marginSeconds: rules.windowMarginMs / 1000 }),
    },
    consent: consentVerdict(consents),
    consents: consents.map(({ kind, origin, at, source, messageId, customerId }) => ({
      kind,
      origin,
      at,
      source,
      messageId,
      customerId,
    })),
    ...(rules.operators && {
      handover: { ...handoverOf(contact, clock.now()), operatorWroteAt: contact.operatorWroteAt },
    }),
    check:
      checkedAt === undefined
        ? undefined
        : { at: checkedAt, onPlatform: checkedAddress !== undefined, platformContactId: checkedAddress },
  };
};
