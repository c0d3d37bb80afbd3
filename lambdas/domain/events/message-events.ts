import { describeContent, readEventContent } from '../event-content.ts';
import { parseFailure } from '../failure.ts';
import { type Instant, parseInstant } from '../instant.ts';
import { STATUS_TIMES } from '../message-status.ts';
import { nameOfUnknown, readServiceEvent } from '../webhook-formats/formats.ts';
import type { BusEvent } from './event-details.ts';
import { appeared, eventId, type ItemChange, type ItemImage, stringOf, traceOf } from './item-change.ts';

/** Returns the events of a write to a message's item: its arrival and each of its statuses, once. */
export const messageEvents = (change: ItemChange): readonly BusEvent[] => [
  ...arrivalEvents(change),
  ...statusEvents(change),
  ...missingEvents(change),
  ...otherStatusEvents(change),
];

/** Returns the event of a write to an echo's item: its arrival, once. */
export const echoEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const at = arrivalOf(change);
  if (at === undefined) return [];
  const { sender, content } = readBody(stringOf(after, 'body'));
  const common = {
    id: eventId('MessageEchoed', change),
    ...traceOf(after),
    messageId,
    contact,
    at,
    ...importOf(after),
  };
  // A status whose FROM is the user can carry a message, which the user did not write.
  return [{ name: 'MessageEchoed', detail: { ...common, sender: sender === 'user' ? 'business' : sender, content } }];
};

const arrivalEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const isDelivered = isDeliveredAfterImport(change);
  const at = isDelivered ? parseInstant(after.createdAt) : arrivalOf(change);
  if (at !== undefined && after.direction === 'unknown') return isDelivered ? [] : [unknownEvent(change, at)];
  // A message that Parley sent is published as SendAccepted.
  if (at === undefined || after.direction !== 'inbound') return [];
  const { from, content } = readBody(stringOf(after, 'body'));
  const common = {
    id: eventId('MessageReceived', change, isDelivered ? 'delivered' : ''),
    ...traceOf(after),
    messageId,
    contact,
    at,
    ...importOf(after),
  };
  return [{ name: 'MessageReceived', detail: { ...common, platformContactId: from, content } }];
};

const unknownEvent = (change: ItemChange, at: Instant): BusEvent => {
  const { contact, after } = change;
  const event = stringOf(after, 'body');
  const name = nameOfUnknown((event && readServiceEvent(event)?.unknown) ?? '');
  const common = {
    id: eventId('WebhookEventUnknown', change),
    ...traceOf(after),
    eventId: change.id,
    contact,
    at,
    ...importOf(after),
  };
  return { name: 'WebhookEventUnknown', detail: { ...common, name, content: { event } } };
};

/** A message from the chat service's history is marked, so that nobody answers it as if it were new. */
const importOf = (after: ItemImage) => ({ ...(after.isImported === true && { imported: true as const }) });

/**
 * The import was published with a mark by which systems do not answer the message. If its delivery was only late, for
 * example because it waited on the inbound queue, it is to be answered.
 */
const isDeliveredAfterImport = ({ before, after }: ItemChange): boolean =>
  before.isImported === true && after.isImported === undefined;

/** An earlier version of a message can replace it later, but its arrival is published only once. */
const arrivalOf = (change: ItemChange): Instant | undefined =>
  appeared(change, 'createdAt') ? parseInstant(change.after.createdAt) : undefined;

const readBody = (event: string | undefined) => {
  if (event === undefined) return { from: undefined, content: {} };
  const { from, sender, ...content } = readEventContent(event);
  return { from, sender, content: { ...describeContent(content), event } };
};

/** A message is missing once: the mark stays on its item, even if it arrives later. */
const missingEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const at = appeared(change, 'missingSince') ? parseInstant(after.missingSince) : undefined;
  if (at === undefined) return [];
  const id = eventId('MessageMissing', change);
  return [{ name: 'MessageMissing', detail: { id, ...traceOf(after), messageId, contact, at } }];
};

const statusEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const requestId = stringOf(after, 'requestId');
  const events: BusEvent[] = [];
  const timeOf = (attribute: string) => (appeared(change, attribute) ? parseInstant(after[attribute]) : undefined);
  const [sentAt, deliveredAt, readAt, answeredAt, failedAt] = STATUS_TIMES.map(timeOf);
  const common = { ...traceOf(after), messageId, contact, requestId };
  for (const [status, at] of Object.entries({ sent: sentAt, answered: answeredAt })) {
    if (at === undefined) continue;
    const id = eventId('MessageStatusChanged', change, status);
    events.push({ name: 'MessageStatusChanged', detail: { id, ...common, at, status } });
  }
  if (deliveredAt) {
    const id = eventId('MessageDelivered', change);
    events.push({ name: 'MessageDelivered', detail: { id, ...common, at: deliveredAt } });
  }
  if (readAt) {
    events.push({ name: 'MessageRead', detail: { id: eventId('MessageRead', change), ...common, at: readAt } });
  }
  if (failedAt) {
    const content = { event: stringOf(after, 'failedBody') };
    const id = eventId('MessageFailed', change);
    const why = parseFailure(stringOf(after, 'failure') ?? '');
    events.push({ name: 'MessageFailed', detail: { id, ...common, at: failedAt, ...why, content } });
  }
  return events;
};

/** Statuses with an unknown literal are stored in a set, each as `literal time`. */
const otherStatusEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, before, after } = change;
  const known = new Set(membersOf(before.otherStatuses));
  return membersOf(after.otherStatuses)
    .filter((member) => !known.has(member))
    .flatMap((member) => {
      const separator = member.lastIndexOf(' ');
      const at = parseInstant(member.slice(separator + 1));
      if (at === undefined) return [];
      const id = eventId('MessageStatusChanged', change, member);
      const status = member.slice(0, separator);
      const detail = {
        id,
        ...traceOf(after),
        messageId,
        contact,
        requestId: stringOf(after, 'requestId'),
        at,
        ...(LITERAL.test(status) ? { status } : { status: 'other', content: { status } }),
      };
      return [{ name: 'MessageStatusChanged' as const, detail }];
    });
};

/** A status of one word, as seen in practice. Longer text may be a description, which can quote the user. */
const LITERAL = /^[a-z][a-z_-]{0,39}$/;

const membersOf = (set: unknown): readonly string[] =>
  set instanceof Set ? [...set].filter((member) => typeof member === 'string') : [];
