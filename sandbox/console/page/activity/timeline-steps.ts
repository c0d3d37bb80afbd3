import { formatMilliseconds } from '../components/time.ts';
import { type Message, stringField } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { itemOf, type TableItem, traceIdOf } from '../state/timeline-subject.ts';
import { confirmationSteps, consentSteps } from './contact-steps.ts';
import { type Ordered, orderSteps } from './order-steps.ts';
import { outboundSteps } from './outbound-steps.ts';
import { idsOf, itemBody, type TimelineStep } from './timeline-step.ts';
import { turnSteps } from './turn-steps.ts';
import { expiredSteps, publishedSteps, webhookSteps } from './webhook-steps.ts';

/** Returns the steps of a message or request, in the order in which they happened. */
export const timelineSteps = (timeline: Timeline): readonly Ordered<TimelineStep>[] => {
  const { message, trace } = timeline;
  const steps =
    message?.direction === 'in'
      ? inboundSteps(timeline, message, itemOf(timeline, 'MESSAGE'), itemOf(timeline, 'CONTACT'))
      : outboundSteps(timeline, itemOf(timeline, 'SEND'), itemOf(timeline, 'MESSAGE'));
  return orderSteps([...steps, ...publishedSteps(trace)]);
};

/** Returns the steps of a user's message, in causal order. */
const inboundSteps = (
  timeline: Timeline,
  message: Message,
  messageItem: TableItem | undefined,
  contactItem: TableItem | undefined,
): readonly TimelineStep[] => {
  const { deliveries, expired } = timeline;
  const stored = [
    ...(messageItem ? [storedStep(messageItem)] : []),
    ...(contactItem ? [windowStep(contactItem, message.id)] : []),
    ...turnSteps(timeline, message.id),
    ...consentSteps(timeline),
    ...confirmationSteps(timeline),
  ];
  return [
    {
      source: 'user',
      title: 'User sent a message',
      tone: 'success',
      at: message.at,
      ids: idsOf({ 'Message ID': message.id }),
      bodies: [{ name: 'Message', value: message }],
    },
    ...(deliveries.length + expired.length === 0 ? [DELIVERY_PENDING] : []),
    ...webhookSteps(deliveries, new Map([['', stored]])),
    ...expiredSteps(expired),
  ];
};

const DELIVERY_PENDING: TimelineStep = {
  source: 'webhook',
  title: 'Webhook delivery pending',
  tone: 'pending',
  detail: 'The event is retried until it is acknowledged, for up to 7 days.',
  isPending: true,
  bodies: [],
};

const storedStep = (message: TableItem): TimelineStep => {
  const at = stringField(message, 'createdAt');
  const source = TIME_SOURCES.get(stringField(message, 'createdAtSource') ?? '') ?? 'its own field';
  return {
    source: 'table',
    title: 'Message stored',
    tone: 'success',
    detail: `Event time: ${at && formatMilliseconds(at)}, from ${source}.`,
    ids: idsOf({ 'Trace ID': traceIdOf(message) }),
    bodies: [itemBody('Table item', message)],
  };
};

/** Where an item's `createdAt` comes from, by its `createdAtSource`. */
const TIME_SOURCES: ReadonlyMap<string, string> = new Map([
  ['event', 'the event'],
  ['publish-time', 'the publish time'],
  ['arrival', 'the arrival time'],
]);

/** The window as it is now: it starts at the latest message, whichever arrived last. */
const windowStep = (contact: TableItem, messageId: string): TimelineStep => {
  const since = stringField(contact, 'lastInboundAt');
  const isLatest = stringField(contact, 'lastInboundId') === messageId;
  return {
    source: 'table',
    title: isLatest ? 'Conversation window updated' : 'Conversation window',
    tone: 'success',
    detail: `It starts at ${since && formatMilliseconds(since)}, the time of ${isLatest ? "the user's latest message" : 'a later message'}.`,
    bodies: [itemBody('Table item', contact)],
  };
};
