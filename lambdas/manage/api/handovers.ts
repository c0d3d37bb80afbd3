import { resolveContact } from '../../domain/contact.ts';
import { addMs, type Instant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import { problem, problemResponse } from './answer.ts';
import { type ContactPorts, contactResponse, refusePartialNumber, respondWithContact } from './contacts.ts';
import { defineRoute, ignoredQuery, type Route } from './define-route.ts';
import { contactFields } from './fields.ts';
import { actNote, auditedNote } from './sending-stops.ts';

const handoverRequest = z.strictObject({
  platformContactId: z.typedAddress(z.MAX_NAME_LENGTH),
  ...contactFields,
  /** Why; only for the audit trail. Numbers are masked. */
  note: z.optional(actNote),
});

/** Calls may be repeated. The response shows who answers the contact. */
const handoverRoute = (
  route: Route<ContactPorts>['route'],
  to: 'people' | 'automated',
  summary: string,
  description: string,
): Route<ContactPorts> =>
  defineRoute({
    route,
    summary,
    description,
    query: ignoredQuery,
    body: handoverRequest,
    responses: { 200: contactResponse, 400: problemResponse, 409: problemResponse },
    async handle(ports: ContactPorts, { body, caller }) {
      if (ports.rules.operators === undefined) return HANDOVERS_OFF;
      const { note } = body;
      const contact = resolveContact(ports.contactDefaults, body);
      const now = ports.clock.now();
      const refusal = await refusePartialNumber(ports, contact, body.platformContactId, now);
      if (refusal) return refusal;
      const {
        handoverAt = '',
        handbackAt = '',
        operatorWroteAt = '',
      } = (await ports.contacts.read(contact, now)) ?? {};
      // Clocks differ, but this act must count although what it ends seems to be later. At the same time, a handback counts.
      const at =
        to === 'people' ? latest(now, handbackAt && addMs(handbackAt, 1)) : latest(now, handoverAt, operatorWroteAt);
      const action = to === 'people' ? 'handover' : 'handback';
      const details = { platformContactId: body.platformContactId, ...auditedNote(note) };
      await ports.audit.record({ action, contact, details, at: now, caller });
      await ports.contacts.recordHandover(contact, to, at);
      return respondWithContact(ports, body);
    },
  });

const latest = (now: Instant, ...others: readonly string[]): Instant =>
  others.reduce((one, other) => (other > one ? other : one), now);

const HANDOVERS_OFF = problem(
  409,
  'HANDOVERS_OFF',
  'Handovers are off in this stage. Set operators in the settings of the stage, and deploy it.',
);

export const handOver = handoverRoute(
  'POST /v1/handovers',
  'people',
  'Hand a contact over to people',
  'Until the contact is handed back, Parley refuses requests for it that are automated. Other requests are sent.',
);
export const handBack = handoverRoute(
  'POST /v1/handbacks',
  'automated',
  'Hand a contact back to automated systems',
  "Also ends a handover by an operator's message. The operator's next message hands the contact over again.",
);
