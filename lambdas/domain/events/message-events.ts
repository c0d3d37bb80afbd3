import { describeContent, readEventContent } from '../event-content.ts';
import { parseFailure } from '../failure.ts';
import { type Instant, parseInstant } from '../instant.ts';
import { versionDigest } from '../message-version.ts';
import { nameOfUnknown, readServiceEvent } from '../webhook-formats/formats.ts';
import type { Sender } from '../webhook-formats/webhook-format.ts';
import type { BusEvent } from './event-details.ts';
import { eventId, type ItemChangeOf, type MessageImage } from './item-change.ts';

type MessageChange = ItemChangeOf<'message' | 'echo'>;

/** Returns the events of a write to a message's item: its arrival and each of its statuses, once. */
export const messageEvents = (change: MessageChange): readonly BusEvent[] => [
  ...arrivalEvents(change),
  ...updateEvents(change),
  ...statusEvents(change),
  ...missingEvents(change),
  ...otherStatusEvents(change),
];

/** Returns the events of a write to an echo's item: its arrival, once, and each later version. */
export const echoEvents = (change: MessageChange): readonly BusEvent[] => [
  ...echoArrivalEvents(change),
  ...updateEvents(change),
];

const echoArrivalEvents = (change: MessageChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const at = arrivalOf(change);
  if (at === undefined) return [];
  const { sender, content } = readBody(after.body);
  const common = {
    id: eventId('MessageEchoed', change),
    traceparent: after.traceparent,
    messageId,
    contact,
    at,
    ...importOf(after),
  };
  return [{ name: 'MessageEchoed', detail: { ...common, sender: sender && echoSender(sender), content } }];
};

const arrivalEvents = (change: MessageChange): readonly BusEvent[] => {
  const { id: messageId, contact, after } = change;
  const isDelivered = isDeliveredAfterImport(change);
  const at = isDelivered ? after.createdAt : arrivalOf(change);
  if (at !== undefined && after.direction === 'unknown') return isDelivered ? [] : [unknownEvent(change, at)];
  // A message that Parley sent is published as SendAccepted.
  if (at === undefined || after.direction !== 'inbound') return [];
  const { from, content } = readBody(after.body);
  const common = {
    id: eventId('MessageReceived', change, isDelivered ? 'delivered' : ''),
    traceparent: after.traceparent,
    messageId,
    contact,
    at,
    ...importOf(after),
  };
  return [{ name: 'MessageReceived', detail: { ...common, platformContactId: from, content } }];
};

/** A later version takes the place of the body. An earlier one that arrives late only joins the versions. */
const updateEvents = (change: MessageChange): readonly BusEvent[] => {
  const { id: messageId, contact, before, after } = change;
  const { body, modifiedAt: at, traceparent } = after;
  if (after.versions.length === 0 || body === undefined || body === before.body || at === undefined) return [];
  const { sender = 'unknown', content } = readBody(body);
  const id = eventId('MessageUpdated', change, versionDigest(body));
  const detail = {
    ...{ id, traceparent, messageId, contact, at },
    sender: change.kind === 'echo' ? echoSender(sender) : sender,
    content,
  };
  return [{ name: 'MessageUpdated', detail }];
};

/** A status whose FROM is the user can carry a message, which the user did not write. */
const echoSender = (sender: Sender): Exclude<Sender, 'user'> => (sender === 'user' ? 'business' : sender);

const unknownEvent = (change: MessageChange, at: Instant): BusEvent => {
  const { contact, after } = change;
  const event = after.body;
  const name = nameOfUnknown((event && readServiceEvent(event)?.unknown) ?? '');
  const common = {
    id: eventId('WebhookEventUnknown', change),
    traceparent: after.traceparent,
    eventId: change.id,
    contact,
    at,
    ...importOf(after),
  };
  return { name: 'WebhookEventUnknown', detail: { ...common, name, content: { event } } };
};

/** A message from the chat service's history is marked, so that nobody answers it as if it were new. */
const importOf = (after: MessageImage) => ({ ...(after.isImported && { imported: true as const }) });

/**
 * The import was published with a mark by which systems do not answer the message. If its delivery was only late, for
 * example because it waited on the inbound queue, it is to be answered.
 */
const isDeliveredAfterImport = ({ before, after }: MessageChange): boolean => before.isImported && !after.isImported;

/** Other versions of a message can replace it later, but its arrival is published only once. */
const arrivalOf = ({ before, after }: MessageChange): Instant | undefined =>
  before.createdAt === undefined ? after.createdAt : undefined;

const readBody = (event: string | undefined) => {
  if (event === undefined) return { from: undefined, content: {} };
  const { from, sender, ...content } = readEventContent(event);
  return { from, sender, content: { ...describeContent(content), event } };
};

/** A message is missing once: the mark stays on its item, even if it arrives later. */
const missingEvents = (change: MessageChange): readonly BusEvent[] => {
  const { id: messageId, contact, before, after } = change;
  const { traceparent, missingSince: at } = after;
  if (at === undefined || before.missingSince !== undefined) return [];
  const id = eventId('MessageMissing', change);
  return [{ name: 'MessageMissing', detail: { id, traceparent, messageId, contact, at } }];
};

const statusEvents = (change: MessageChange): readonly BusEvent[] => {
  const { id: messageId, contact, before, after } = change;
  const events: BusEvent[] = [];
  const { traceparent, requestId } = after;
  const timeOf = (time: 'sentAt' | 'deliveredAt' | 'readAt' | 'answeredAt' | 'failedAt') =>
    before[time] === undefined ? after[time] : undefined;
  const common = { traceparent, messageId, contact, requestId };
  for (const [status, at] of Object.entries({ sent: timeOf('sentAt'), answered: timeOf('answeredAt') })) {
    if (at === undefined) continue;
    const id = eventId('MessageStatusChanged', change, status);
    events.push({ name: 'MessageStatusChanged', detail: { id, ...common, at, status } });
  }
  const [deliveredAt, readAt, failedAt] = [timeOf('deliveredAt'), timeOf('readAt'), timeOf('failedAt')];
  if (deliveredAt) {
    const id = eventId('MessageDelivered', change);
    events.push({ name: 'MessageDelivered', detail: { id, ...common, at: deliveredAt } });
  }
  if (readAt) {
    events.push({ name: 'MessageRead', detail: { id: eventId('MessageRead', change), ...common, at: readAt } });
  }
  if (failedAt) {
    const content = { event: after.failedBody };
    const id = eventId('MessageFailed', change);
    const why = parseFailure(after.failure ?? '');
    events.push({ name: 'MessageFailed', detail: { id, ...common, at: failedAt, ...why, content } });
  }
  return events;
};

/** Statuses with an unknown literal are stored in a set, each as `literal time`. */
const otherStatusEvents = (change: MessageChange): readonly BusEvent[] => {
  const { id: messageId, contact, before, after } = change;
  const known = new Set(before.otherStatuses);
  return after.otherStatuses
    .filter((member) => !known.has(member))
    .flatMap((member) => {
      const separator = member.lastIndexOf(' ');
      const at = parseInstant(member.slice(separator + 1));
      if (at === undefined) return [];
      const id = eventId('MessageStatusChanged', change, member);
      const status = member.slice(0, separator);
      const detail = {
        id,
        traceparent: after.traceparent,
        messageId,
        contact,
        requestId: after.requestId,
        at,
        ...(LITERAL.test(status) ? { status } : { status: 'other', content: { status } }),
      };
      return [{ name: 'MessageStatusChanged' as const, detail }];
    });
};

/** A status of one word, as seen in practice. Longer text may be a description, which can quote the user. */
const LITERAL = /^[a-z][a-z_-]{0,39}$/;
