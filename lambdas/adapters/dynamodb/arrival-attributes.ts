import { statedModification } from '../../domain/message-version.ts';
import type { Echo, EventTime, InboundMessage, UnknownEvent } from '../../domain/webhook-event.ts';
import { contactSort } from '../../table/indexes.ts';
import { echoKey, type ItemKey, messageKey, subjectName } from '../../table/keys.ts';
import { NO_GAP } from '../../table/message-item.ts';
import type { NamedUser } from './message-user.ts';
import type { ConversationTable } from './table.ts';

/** An event that is stored as a message, or beside one. */
export type Arrival = InboundMessage | Echo | UnknownEvent;

export const arrivalKey = ({ kind, id }: Arrival): ItemKey => (kind === 'echo' ? echoKey(id) : messageKey(id));

/** Returns the name of the contact or the customer that an event names. */
export const arrivalSubject = (arrival: Arrival): string | undefined => {
  const { subject } = arrivalUser(arrival);
  return subject && subjectName(subject);
};

/** Returns whose message an event is. */
export const arrivalUser = (arrival: Arrival): NamedUser => ({
  subject: arrival.contact ?? ('customer' in arrival ? arrival.customer : undefined),
  customerId: arrival.customerId,
});

/** Returns the attributes that depend on the event alone. Those with undefined values are removed. */
export const contentAttributes = (arrival: Arrival) => {
  const { kind, body, isFromStatus, isImported, traceparent } = arrival;
  return {
    direction: kind === 'message' ? 'inbound' : kind,
    contact: arrivalSubject(arrival),
    body,
    // Only what was delivered as a message has versions.
    modifiedAt: kind === 'unknown' || isFromStatus || isImported ? undefined : statedModification(arrival),
    isFromStatus,
    isImported,
    traceparent,
    // The statuses of an echo are in another item.
    ...(kind !== 'echo' && NO_GAP),
  };
};

/** Returns the attributes that depend on when the message was written, according to its earliest version. */
export const timeAttributes = (
  table: Pick<ConversationTable, 'expiryOf'>,
  { at, source }: Pick<EventTime, 'at'> & { readonly source: string | undefined },
  contact: unknown,
) => ({
  contactSort: contact === undefined ? undefined : contactSort('MESSAGE', at),
  createdAt: at,
  createdAtSource: source,
  expiresAt: table.expiryOf('messages', at),
});
