import { type Consent, type ConsentKind, DEFAULT_ORIGIN } from '../../domain/consent.ts';
import { type ContactRef, customersAt, resolveContact } from '../../domain/contact.ts';
import { customersOf } from '../../domain/customer.ts';
import { parseInstant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { instant } from '../../domain/send-request.ts';
import { invalidField, problemResponse } from './answer.ts';
import { type ContactPorts, contactResponse, origin, refusePartialNumber, respondWithContact } from './contacts.ts';
import { defineRoute, ignoredQuery, type Route } from './define-route.ts';
import { contactFields } from './fields.ts';

const consentRequest = z.strictObject({
  platformContactId: z.typedAddress(z.MAX_NAME_LENGTH),
  ...contactFields,
  /** Where the consent was given or withdrawn, such as a form, an email, or a call. */
  source: z.boundedString(1024),
  /**
   * Who gave or withdrew the consent: the user, in a form, a message, or a call; or a list that a system loads. An
   * import never overrides the user's own opt-out. @default import for an opt-in, user for an opt-out
   */
  origin: z.optional(origin),
  /** When it was given or withdrawn. @default now */
  at: z.optional(instant),
});

/** Calls may be repeated, and may arrive late: the latest consent of each kind and origin is stored. */
const consentRoute = (
  route: Route<ContactPorts>['route'],
  kind: ConsentKind,
  summary: string,
  description: string,
): Route<ContactPorts> =>
  defineRoute({
    route,
    summary,
    description,
    query: ignoredQuery,
    body: consentRequest,
    responses: { 200: contactResponse, 400: problemResponse },
    async handle(ports: ContactPorts, { body, caller }) {
      const now = ports.clock.now();
      const at = parseInstant(body.at) ?? now;
      if (at > now) return invalidField('at', `must not be in the future; it is now ${now} (got "${at}")`);
      const contact = resolveContact(ports.contactDefaults, body);
      const refusal = await refusePartialNumber(ports, contact, body.platformContactId, now);
      if (refusal) return refusal;
      const { platformContactId, source, origin = DEFAULT_ORIGIN[kind] } = body;
      const details = { platformContactId, consentAt: at, source, origin };
      await ports.audit.record({ action: kind, contact, details, at: now, caller });
      const consent = { kind, origin, at, source, recordedAt: now };
      await ports.contacts.recordConsent(contact, consent);
      // After the consent, so that an event that links the contact to a customer meanwhile finds it.
      if (kind === 'opt-out') await recordForCustomers(ports, contact, consent);
      return respondWithContact(ports, body);
    },
  });

/** An opt-out holds at all addresses of the user, an opt-in only at the address that it names. */
const recordForCustomers = async (
  { contacts, clock }: ContactPorts,
  ref: ContactRef,
  optOut: Consent,
): Promise<void> => {
  const contact = (await contacts.readOwn(ref, clock.now())) ?? {};
  for (const customer of customersAt(ref, customersOf(contact))) await contacts.recordConsent(customer, optOut);
};

export const optIn = consentRoute(
  'POST /v1/opt-ins',
  'opt-in',
  'Record an opt-in',
  'An opt-in holds only at the address that it names. It overrides an earlier opt-out, but an imported opt-in never ' +
    "overrides the user's own opt-out. The default origin is import. The response shows the effective consent.",
);
export const optOut = consentRoute(
  'POST /v1/opt-outs',
  'opt-out',
  'Record an opt-out',
  "An opt-out holds at all addresses of the customer: an imported one until a later opt-in, the user's own until the " +
    "user's own later opt-in. The default origin is user.",
);
