import { presentMedia, readEventContent } from '../event-content.ts';
import { type Instant, parseInstant } from '../instant.ts';
import type { BusEvent } from './event-details.ts';
import { appeared, eventId, type ItemChange, stringOf, traceOf } from './item-change.ts';

/** Returns the events of a write to a message's item: its arrival and each of its statuses, once. */
export const messageEvents = (change: ItemChange): readonly BusEvent[] => [
  ...arrivalEvents(change),
  ...statusEvents(change),
  ...otherStatusEvents(change),
];

/** Returns the event of a write to an echo's item: its arrival, once. */
export const echoEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const at = arrivalOf(change);
  if (at === undefined) return [];
  const { content } = readBody(stringOf(after, 'body'));
  const common = { id: eventId('MessageEchoed', change), ...traceOf(after), messageId, contact, at };
  return [{ name: 'MessageEchoed', detail: { ...common, content } }];
};

const arrivalEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const at = arrivalOf(change);
  // A message that Parley sent is published as SendAccepted.
  if (at === undefined || after.direction !== 'inbound') return [];
  const { from, content } = readBody(stringOf(after, 'body'));
  const common = { id: eventId('MessageReceived', change), ...traceOf(after), messageId, contact, at };
  return [{ name: 'MessageReceived', detail: { ...common, platformContactId: from, content } }];
};

/** An earlier version of a message can replace it later, but its arrival is published only once. */
const arrivalOf = (change: ItemChange): Instant | undefined =>
  appeared(change, 'createdAt') ? parseInstant(change.after.createdAt) : undefined;

const readBody = (event: string | undefined) => {
  if (event === undefined) return { from: undefined, content: {} };
  const { from, text, media } = readEventContent(event);
  return { from, content: { text, media: presentMedia(media), event } };
};

/** The attributes with the times of the known statuses. */
export const STATUS_TIMES = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'] as const;

const statusEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const requestId = stringOf(after, 'requestId');
  const events: BusEvent[] = [];
  const timeOf = (attribute: string) => (appeared(change, attribute) ? parseInstant(after[attribute]) : undefined);
  const [sentAt, deliveredAt, readAt, failedAt] = STATUS_TIMES.map(timeOf);
  const common = { ...traceOf(after), messageId, contact, requestId };
  if (sentAt) {
    const id = eventId('MessageStatusChanged', change, 'sent');
    events.push({ name: 'MessageStatusChanged', detail: { id, ...common, at: sentAt, status: 'sent' } });
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
    events.push({ name: 'MessageFailed', detail: { id, ...common, at: failedAt, content } });
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
