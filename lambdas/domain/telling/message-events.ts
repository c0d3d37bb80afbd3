import { readInstant } from '../instant.ts';
import { parseJson } from '../parse-json.ts';
import { eventId } from './event-id.ts';
import { appeared, type ItemChange, textOf } from './item-change.ts';
import type { ToldEvent } from './told-details.ts';

/** What a write to a message's item tells: that it came, and each of its statuses once. */
export const messageEvents = (change: ItemChange): readonly ToldEvent[] => [
  ...arrival(change),
  ...statuses(change),
  ...otherStatuses(change),
];

const arrival = (change: ItemChange): readonly ToldEvent[] => {
  const { id: messageId, contact, after } = change;
  // An earlier version of a message may replace it later; that it came is told once.
  const at = readInstant(after.createdAt);
  if (!appeared(change, 'createdAt') || at === undefined) return [];
  const event = textOf(after, 'body');
  const told = { messageId, contact, at, content: { text: textOf(after, 'text'), media: mediaOf(after.media), event } };
  switch (after.direction) {
    case 'inbound': {
      const detail = { id: eventId('MessageReceived', change), ...told, platformContactId: senderOf(event) };
      return [{ name: 'MessageReceived', detail }];
    }
    case 'echo':
      return [{ name: 'MessageEchoed', detail: { id: eventId('MessageEchoed', change), ...told } }];
    default:
      // A message that we sent is told by its send.
      return [];
  }
};

const statuses = (change: ItemChange): readonly ToldEvent[] => {
  const { id: messageId, contact, after } = change;
  const requestId = textOf(after, 'requestId');
  const told: ToldEvent[] = [];
  const at = (attribute: string) => (appeared(change, attribute) ? readInstant(after[attribute]) : undefined);
  const [sentAt, deliveredAt, readAt, failedAt] = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'].map(at);
  const detail = { messageId, contact, requestId };
  if (sentAt) {
    const id = eventId('MessageStatusChanged', change, 'sent');
    told.push({ name: 'MessageStatusChanged', detail: { id, ...detail, at: sentAt, status: 'sent' } });
  }
  if (deliveredAt) {
    const id = eventId('MessageDelivered', change);
    told.push({ name: 'MessageDelivered', detail: { id, ...detail, at: deliveredAt } });
  }
  if (readAt) {
    told.push({ name: 'MessageRead', detail: { id: eventId('MessageRead', change), ...detail, at: readAt } });
  }
  if (failedAt) {
    const content = { event: textOf(after, 'failedBody') };
    const id = eventId('MessageFailed', change);
    told.push({ name: 'MessageFailed', detail: { id, ...detail, at: failedAt, content } });
  }
  return told;
};

/** Statuses whose literal we do not know stand in a set, each as `literal time`. */
const otherStatuses = (change: ItemChange): readonly ToldEvent[] => {
  const { id: messageId, contact, before, after } = change;
  const known = new Set(membersOf(before.otherStatuses));
  return membersOf(after.otherStatuses)
    .filter((member) => !known.has(member))
    .flatMap((member) => {
      const separator = member.lastIndexOf(' ');
      const at = readInstant(member.slice(separator + 1));
      if (at === undefined) return [];
      const id = eventId('MessageStatusChanged', change, member);
      const status = member.slice(0, separator);
      const detail = { id, messageId, contact, requestId: textOf(after, 'requestId'), at, status };
      return [{ name: 'MessageStatusChanged' as const, detail }];
    });
};

const membersOf = (set: unknown): readonly string[] =>
  set instanceof Set ? [...set].filter((member) => typeof member === 'string') : [];

const mediaOf = (media: unknown): Record<string, string[]> | undefined => {
  if (typeof media !== 'object' || media === null) return undefined;
  const kinds = Object.entries(media).map(([kind, addresses]) => [kind, textsOf(addresses)] as const);
  return Object.fromEntries(kinds);
};

const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];

/** The message's item keeps the sender's address nowhere else than in the event as it came. */
const senderOf = (body: string | undefined): string | undefined => {
  const event = body === undefined ? undefined : parseJson(body);
  const from = typeof event === 'object' && event !== null && 'FROM' in event ? event.FROM : undefined;
  return typeof from === 'string' || typeof from === 'number' ? String(from) : undefined;
};
