import { formatMilliseconds } from '../components/time.ts';
import type { Message } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { confirmationSteps, consentSteps } from './contact-steps.ts';
import { editSteps, versionSteps } from './edit-steps.ts';
import { type Ordered, orderSteps } from './order-steps.ts';
import { outboundSteps } from './outbound-steps.ts';
import { idsOf, itemBodies, type TimelineStep } from './timeline-step.ts';
import { turnSteps } from './turn-steps.ts';
import { expiredSteps, publishedSteps, webhookSteps } from './webhook-steps.ts';

/** Returns the steps of a message or request, in the order in which they happened. */
export const timelineSteps = (timeline: Timeline): readonly Ordered<TimelineStep>[] => {
  const { message, trace } = timeline;
  const steps = message?.direction === 'in' ? inboundSteps(timeline, message) : outboundSteps(timeline);
  return orderSteps([...steps, ...publishedSteps(trace)]);
};

/** Returns the steps of a user's message, in causal order. */
const inboundSteps = (timeline: Timeline, message: Message): readonly TimelineStep[] => {
  const { deliveries, expired } = timeline;
  const stored = [
    ...storedSteps(timeline),
    ...windowSteps(timeline, message.id),
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
    ...editSteps(message),
    ...webhookSteps(deliveries, new Map([['', stored]])),
    ...versionSteps(timeline.trace?.message),
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

const storedSteps = ({ trace }: Timeline): readonly TimelineStep[] => {
  if (trace?.message === undefined) return [];
  const { createdAt, timeSource = '', traceId } = trace.message;
  const source = TIME_SOURCES.get(timeSource) ?? 'its own field';
  return [
    {
      source: 'table',
      title: 'Message stored',
      tone: 'success',
      detail: `Event time: ${createdAt && formatMilliseconds(createdAt)}, from ${source}.`,
      ids: idsOf({ 'Trace ID': traceId }),
      bodies: itemBodies(trace.items.message),
    },
  ];
};

/** Where a message's time comes from. */
const TIME_SOURCES: ReadonlyMap<string, string> = new Map([
  ['event', 'the event'],
  ['publish-time', 'the publish time'],
  ['arrival', 'the arrival time'],
]);

/** The window as it is now: it starts at the latest message, whichever arrived last. */
const windowSteps = ({ trace }: Timeline, messageId: string): readonly TimelineStep[] => {
  const { lastInboundAt: since, lastInboundId } = trace?.contact ?? {};
  if (since === undefined) return [];
  const isLatest = lastInboundId === messageId;
  return [
    {
      source: 'table',
      title: isLatest ? 'Conversation window updated' : 'Conversation window',
      tone: 'success',
      detail: `It starts at ${formatMilliseconds(since)}, the time of ${isLatest ? "the user's latest message" : 'a later message'}.`,
      bodies: itemBodies(trace?.items.contact),
    },
  ];
};
