import { resolveContact } from '../../domain/contact.ts';
import { customersNamed } from '../../domain/customer.ts';
import * as z from '../../domain/schema.ts';
import type { ContactRepository } from '../../ports.ts';
import { problem, problemResponse } from './answer.ts';
import { type ContactPorts, contactNotFound, contactResponse, respondWithContact } from './contacts.ts';
import { customerIdField } from './customers.ts';
import { defineRoute, ignoredQuery, type Route } from './define-route.ts';
import { contactFields, eventIdField } from './fields.ts';
import { actNote, auditedNote } from './sending-stops.ts';

export interface SeparationPorts extends ContactPorts {
  readonly contacts: ContactPorts['contacts'] & Pick<ContactRepository, 'recordSeparation'>;
}

const separationRequest = z.strictObject({
  platformContactId: eventIdField,
  ...contactFields,
  /** The customer ID that the chat service names with the address. */
  customerId: customerIdField,
  /** Why; only for the audit trail. Numbers are masked. */
  note: z.optional(actNote),
});

/** Calls may be repeated, and the latest counts. The response shows the contact. */
const separationRoute = (
  route: Route<SeparationPorts>['route'],
  to: 'separated' | 'joined',
  summary: string,
  description: string,
): Route<SeparationPorts> =>
  defineRoute({
    route,
    summary,
    description,
    query: ignoredQuery,
    body: separationRequest,
    responses: { 200: contactResponse, 400: problemResponse, 404: problemResponse },
    async handle(ports: SeparationPorts, { body, caller }) {
      const { platformContactId, customerId, note } = body;
      const ref = resolveContact(ports.contactDefaults, body);
      const now = ports.clock.now();
      const contact = await ports.contacts.readOwn(ref, now);
      if (contact === undefined) return contactNotFound(platformContactId);
      if (!customersNamed(contact).includes(customerId)) return notNamed(platformContactId, customerId);
      const action = to === 'separated' ? 'separation' : 'separation-reversal';
      const details = { platformContactId, customerId, ...auditedNote(note) };
      await ports.audit.record({ action, contact: ref, details, at: now, caller });
      await ports.contacts.recordSeparation({ contact: ref, customerId }, to, now);
      return respondWithContact(ports, body);
    },
  });

const notNamed = (platformContactId: string, customerId: string) =>
  problem(
    404,
    'CUSTOMER_NOT_FOUND',
    `No event named the contact ${platformContactId} together with the customer ${customerId}. Check both IDs.`,
  );

export const separateCustomer = separationRoute(
  'POST /v1/separations',
  'separated',
  'Separate an address from a customer',
  'For an address that the chat service names with the customer ID of another user. From then on, opt-outs, erasures, and ' +
    'lists of one do not include the other, and requests to the customer do not go to the address. A separation ' +
    'lasts as long as the contact is stored.',
);
export const reverseSeparation = separationRoute(
  'POST /v1/separation-reversals',
  'joined',
  'Reverse the separation of an address from a customer',
  'The address belongs to the customer again, and the opt-outs of the customer hold there.',
);
