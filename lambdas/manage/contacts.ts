import { auditEntry } from '../domain/audit.ts';
import {
  type Consent,
  type Contact,
  type ContactDefaults,
  type ContactRef,
  type NamedContact,
  resolveContact,
} from '../domain/contact.ts';
import { addMs, parseInstant } from '../domain/instant.ts';
import * as z from '../domain/schema.ts';
import { isWindowOpen, WINDOW_MS } from '../domain/window.ts';
import type { AuditRepository, Clock, ContactRepository } from '../ports.ts';
import {
  type Answer,
  contactFields,
  defineRoute,
  eventIdField,
  ignoredQuery,
  instantField,
  invalidRequest,
  noBody,
  ok,
  problem,
  problemResponse,
  type Route,
  storedContactFields,
} from './api.ts';

export interface ContactPorts {
  readonly contacts: Pick<ContactRepository, 'read' | 'recordConsent'>;
  readonly audit: Pick<AuditRepository, 'record'>;
  readonly clock: Clock;
  readonly contactDefaults: ContactDefaults;
  readonly windowMarginMs: number;
}

const consentRecord = z.object({ at: z.string(), source: z.optional(z.string()) });

export const contactResponse = z.object({
  /** The user's id as last received, which Parley sends messages to. Before the first message, the id in the call. */
  platformContactId: z.string(),
  chatPlatform: z.string(),
  name: z.optional(z.string()),
  customerId: z.optional(z.string()),
  window: z.object({
    /** Whether free-form messages can be sent now. */
    open: z.boolean(),
    lastInboundAt: z.optional(z.string()),
    closesAt: z.optional(z.string()),
  }),
  optIn: z.optional(consentRecord),
  optOut: z.optional(consentRecord),
  check: z.optional(z.object({ at: z.string(), onPlatform: z.boolean(), platformContactId: z.optional(z.string()) })),
});

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

const consentRequest = z.strictObject({
  platformContactId: z.boundedString(z.MAX_NAME_LENGTH),
  ...contactFields,
  /** Where the consent was given or withdrawn, such as a form, an email, or a call. */
  source: z.boundedString(1024),
  /** When it was given or withdrawn. @default now */
  at: z.optional(instantField),
});

/** Calls may be repeated, and may arrive late: of each kind of consent, the latest one counts. */
const consentRoute = (
  route: Route<ContactPorts>['route'],
  kind: Consent['kind'],
  summary: string,
): Route<ContactPorts> =>
  defineRoute({
    route,
    summary,
    query: ignoredQuery,
    body: consentRequest,
    responses: { 200: contactResponse, 400: problemResponse },
    async handle(ports: ContactPorts, { body, caller }) {
      const now = ports.clock.now();
      const at = parseInstant(body.at) ?? now;
      if (at > now) return invalidRequest(`Invalid request: at: is ${at}, which is in the future.`);
      const contact = resolveContact(ports.contactDefaults, body);
      const { origin } = { origin: undefined, ...body };
      const details = { consentAt: at, source: body.source, origin };
      await ports.audit.record(auditEntry(caller, { action: kind, contact, details }, now));
      await ports.contacts.recordConsent(contact, { kind, at, source: body.source, recordedAt: now });
      return respondWithContact(ports, body);
    },
  });

export const optIn = consentRoute('POST /v1/opt-ins', 'opt-in', 'Record an opt-in; the latest consent applies');
export const optOut = consentRoute('POST /v1/opt-outs', 'opt-out', 'Record an opt-out; the latest consent applies');

const respondWithContact = async (ports: ContactPorts, named: NamedContact): Promise<Answer> => {
  const ref = resolveContact(ports.contactDefaults, named);
  const contact = await ports.contacts.read(ref);
  const { platformContactId } = named;
  return contact ? ok(viewContact(ports, ref, platformContactId, contact)) : contactNotFound(platformContactId);
};

export const contactNotFound = (platformContactId: string): Answer =>
  problem(404, 'CONTACT_NOT_FOUND', `There is no contact with the id ${platformContactId}.`);

const viewContact = (
  { clock, windowMarginMs }: ContactPorts,
  { platform }: ContactRef,
  requestedId: string,
  contact: Contact,
): z.output<typeof contactResponse> => {
  const { address, name, customerId, lastInboundAt, checkedAt, checkedAddress } = contact;
  return {
    platformContactId: address ?? requestedId,
    chatPlatform: platform,
    name,
    customerId,
    window: {
      open: isWindowOpen(contact, clock.now(), windowMarginMs),
      lastInboundAt,
      closesAt: lastInboundAt && addMs(lastInboundAt, WINDOW_MS - windowMarginMs),
    },
    optIn: contact.optInAt === undefined ? undefined : { at: contact.optInAt, source: contact.optInSource },
    optOut: contact.optOutAt === undefined ? undefined : { at: contact.optOutAt, source: contact.optOutSource },
    check:
      checkedAt === undefined
        ? undefined
        : { at: checkedAt, onPlatform: checkedAddress !== undefined, platformContactId: checkedAddress },
  };
};
