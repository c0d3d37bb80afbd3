import { contactKey } from '../../../lambdas/domain/contact.ts';
import { wireMessage, wireStatus } from '../../support/builders.ts';
import { translateEvent, type Unsaid, type WireEvent } from '../world/translate-event.ts';
import type { ReportedEvent } from './delivery.ts';
import type { StageContext } from './stage-context.ts';

/** The time of an event by the chat service's clock; some events have none. */
const timeOf = ({ clock, features, draw }: StageContext, eventId: string): { readonly CREATION_TIME?: string } => {
  const hasNone = draw.fraction(draw.identify(`time of ${eventId}`), 0) < features.delivery.withoutTimeRate;
  return { CREATION_TIME: hasNone ? undefined : new Date(clock.ms + features.clockAheadMs).toISOString() };
};

/** Events name users by the digits of their numbers. */
const nameOf = (contact: string): string => contact.replace(/^\+/, '');

/** Writes an event in one of the chat service's formats. */
const inFormat = ({ draw, features }: StageContext, eventId: string, event: WireEvent, unsaid?: Unsaid) => {
  const { formats = [] } = features.chatService ?? {};
  const drawn = formats[Math.floor(draw.fraction(draw.identify(`format of ${eventId}`), 0) * formats.length)];
  const body = JSON.stringify((drawn && translateEvent(event, drawn, unsaid)) ?? event);
  const source: WireEvent = JSON.parse(JSON.stringify(event));
  return { eventId, body, source };
};

/** The chat service has one ID for each user, however the number is written. */
const customerOf = (contact: string): string => `customer-${contactKey(contact).replace(/\W/g, '')}`;

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
  return { ...inFormat(context, eventId, wireMessage({ ...names, ...content })), isUnauthenticated };
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
  {
    id,
    contact,
    text,
    operator,
    transactionId,
  }: { id: string; contact: string; text: string; operator?: string; transactionId?: string | undefined },
): ReportedEvent => {
  const eventId = `echoed ${id}`;
  const isUnsaid = isSenderUnsaid(context, eventId);
  const OPERATOR_ID = isUnsaid ? undefined : operator;
  const names = { _id_: id, FROM: 'me', TO: nameOf(contact), CUSTOMER_ID: customerOf(contact), OPERATOR_ID };
  const event = wireMessage({ ...names, MESSAGE: text, ...timeOf(context, eventId) });
  return inFormat(context, eventId, event, { transactionId, sender: isUnsaid ? 'nobody' : undefined });
};

/** Where the chat service has several formats, some of its events do not say who wrote a message. */
const isSenderUnsaid = ({ draw, features: { chatService } }: StageContext, eventId: string): boolean =>
  chatService?.formats !== undefined && draw.fraction(draw.identify(`sender of ${eventId}`), 0) < 0.3;

/** The platform's code, as services send it. */
const FAILURE_REASON = '131026.0';

/** Returns the event of a status of a message that the business sent. */
export const statusEvent = (
  context: StageContext,
  {
    id,
    body,
    STATUS,
    transactionId,
    isRepeated = false,
  }: {
    id: string;
    body: Readonly<Record<string, unknown>>;
    STATUS: string;
    transactionId?: string | undefined;
    isRepeated?: boolean;
  },
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
  const why = STATUS === 'failed' ? { REASON: FAILURE_REASON } : {};
  const event = wireStatus({ ...names, ...reference, ...why, ...timeOf(context, eventId) });
  return inFormat(context, eventId, event, { transactionId });
};

const literalOf = ({ features }: StageContext, status: string): string => {
  const { isUpperCase = false, failure = 'failed' } = features.chatService?.statuses ?? {};
  const literal = status === 'failed' ? failure : status;
  return isUpperCase ? literal.toUpperCase() : literal;
};
