import { wireMessage, wireStatus } from '../../support/builders.ts';
import type { ReportedEvent } from './delivery.ts';
import type { StageContext } from './stage-context.ts';

/** The time of an event by the chat service's clock; some events have none. */
const timeOf = ({ clock, features, draw }: StageContext, eventId: string): { readonly CREATION_TIME?: string } => {
  const hasNone = draw.fraction(draw.identify(`time of ${eventId}`), 0) < features.delivery.withoutTimeRate;
  return { CREATION_TIME: hasNone ? undefined : new Date(clock.ms + features.clockAheadMs).toISOString() };
};

/** Events name users by the digits of their numbers. */
const nameOf = (contact: string): string => contact.replace(/^\+/, '');

const customerOf = (contact: string): string => `customer-${contact.replace(/\W/g, '')}`;

/** Returns the event of a message that a user wrote. */
export const messageEvent = (
  context: StageContext,
  {
    id,
    contact,
    text,
    isUnauthenticated = false,
  }: { id: string; contact: string; text: string; isUnauthenticated?: boolean },
): ReportedEvent => {
  const eventId = isUnauthenticated ? `unauthenticated ${id}` : `written ${id}`;
  const names = { _id_: id, FROM: nameOf(contact), CUSTOMER_ID: customerOf(contact) };
  const content = { MESSAGE: text, ...unknownStatusOf(context, eventId), ...timeOf(context, eventId) };
  return { eventId, body: JSON.stringify(wireMessage({ ...names, ...content })), isUnauthenticated };
};

/** A STATUS that Parley does not know, which says nothing about who wrote the message. */
const unknownStatusOf = ({ features, draw }: StageContext, eventId: string): { readonly STATUS?: string } => {
  const { unknownStatusRate = 0 } = features.chatService ?? {};
  const isGiven = draw.fraction(draw.identify(`unknown status of ${eventId}`), 0) < unknownStatusRate;
  return isGiven ? { STATUS: 'received' } : {};
};

/**
 * Returns the event of a message that the business sent: an operator in the chat service's own console, if `operator`
 * names one, otherwise a bot or Parley.
 */
export const echoEvent = (
  context: StageContext,
  { id, contact, text, operator }: { id: string; contact: string; text: string; operator?: string },
): ReportedEvent => {
  const eventId = `echoed ${id}`;
  const names = { _id_: id, FROM: 'me', TO: nameOf(contact), CUSTOMER_ID: customerOf(contact), OPERATOR_ID: operator };
  return { eventId, body: JSON.stringify(wireMessage({ ...names, MESSAGE: text, ...timeOf(context, eventId) })) };
};

/** Returns the event of a status of a message that the business sent. */
export const statusEvent = (
  context: StageContext,
  {
    id,
    body,
    STATUS,
    isRepeated = false,
  }: { id: string; body: Readonly<Record<string, unknown>>; STATUS: string; isRepeated?: boolean },
): ReportedEvent => {
  const eventId = `${STATUS} ${id}${isRepeated ? ' again' : ''}`;
  const contact = String(body.platformContactId);
  const names = {
    _id_: id,
    FROM: nameOf(contact),
    CUSTOMER_ID: customerOf(contact),
    STATUS: literalOf(context, STATUS),
  };
  const reference = typeof body.clientPayload === 'string' ? { CLIENT_PAYLOAD: body.clientPayload } : {};
  return { eventId, body: JSON.stringify(wireStatus({ ...names, ...reference, ...timeOf(context, eventId) })) };
};

const literalOf = ({ features }: StageContext, status: string): string => {
  const { isUpperCase = false, failure = 'failed' } = features.chatService?.statuses ?? {};
  const literal = status === 'failed' ? failure : status;
  return isUpperCase ? literal.toUpperCase() : literal;
};
