import { presentMedia, readEventContent } from '../event-content.ts';
import { parseInstant } from '../instant.ts';
import type { BusEvent } from './event-details.ts';
import { appeared, eventId, type ItemChange, stringOf } from './item-change.ts';

/** Returns the events of a write to a message's item: its arrival, its echo, and each of its statuses, once. */
export const messageEvents = (change: ItemChange): readonly BusEvent[] => [
  ...arrivalEvents(change),
  ...statusEvents(change),
  ...otherStatusEvents(change),
];

const arrivalEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const events: BusEvent[] = [];
  // An earlier version of a message can replace it later, but its arrival is published only once. A message that Parley
  // sent is published as SendAccepted.
  const receivedAt = appeared(change, 'createdAt') ? parseInstant(after.createdAt) : undefined;
  if (receivedAt !== undefined && after.direction === 'inbound') {
    const { from, content } = readBody(stringOf(after, 'body'));
    const id = eventId('MessageReceived', change);
    const detail = { id, messageId, contact, at: receivedAt, platformContactId: from, content };
    events.push({ name: 'MessageReceived', detail });
  }
  const echoedAt = appeared(change, 'echoAt') ? parseInstant(after.echoAt) : undefined;
  if (echoedAt !== undefined) {
    const { content } = readBody(stringOf(after, 'echoBody'));
    const id = eventId('MessageEchoed', change);
    events.push({ name: 'MessageEchoed', detail: { id, messageId, contact, at: echoedAt, content } });
  }
  return events;
};

const readBody = (event: string | undefined) => {
  if (event === undefined) return { from: undefined, content: {} };
  const { from, text, media } = readEventContent(event);
  return { from, content: { text, media: presentMedia(media), event } };
};

const statusEvents = (change: ItemChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const requestId = stringOf(after, 'requestId');
  const events: BusEvent[] = [];
  const timeOf = (attribute: string) => (appeared(change, attribute) ? parseInstant(after[attribute]) : undefined);
  const [sentAt, deliveredAt, readAt, failedAt] = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'].map(timeOf);
  const common = { messageId, contact, requestId };
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
      const detail = { id, messageId, contact, requestId: stringOf(after, 'requestId'), at, status };
      return [{ name: 'MessageStatusChanged' as const, detail }];
    });
};

const membersOf = (set: unknown): readonly string[] =>
  set instanceof Set ? [...set].filter((member) => typeof member === 'string') : [];
