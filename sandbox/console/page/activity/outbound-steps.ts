import { formatMilliseconds } from '../components/time.ts';
import { isByOperator, type MessageView, type Trace } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { requestIdOf } from '../state/timeline-subject.ts';
import { echoSteps, operatorSteps } from './contact-steps.ts';
import { callStep, queuedStep, sendSteps } from './send-steps.ts';
import { idsOf, itemBodies, sentences, type TimelineStep } from './timeline-step.ts';
import { expiredSteps, statusOf, webhookSteps } from './webhook-steps.ts';

/** Returns the steps of what the business sends, in causal order. */
export const outboundSteps = (timeline: Timeline): readonly TimelineStep[] => {
  const { calls, message, trace = NO_TRACE } = timeline;
  const { send, items } = trace;
  const messageBodies = itemBodies(items.message, 'Message item');
  const stored = storedStatuses(trace.message, messageBodies);
  const requestId = requestIdOf(timeline);
  const isQueued = send !== undefined || trace.enqueuedAt !== undefined;
  const sent = send
    ? sendSteps(send, trace, calls, [...itemBodies(items.send), ...(stored.size === 0 ? messageBodies : [])])
    : calls.map(callStep);
  // What a status said about the send was recorded when that status arrived.
  const isChangedByStatus = send !== undefined && send.since === undefined;
  const byCall = isChangedByStatus ? sent.slice(0, sent.findLastIndex(({ at }) => at !== undefined) + 1) : sent;
  const byStatus = sent.slice(byCall.length);
  // If the status arrives before the answer is recorded, the send fails when the answer is.
  const [answeredAt = '', statusAt = answeredAt] = [byCall.at(-1)?.at, failedAt(timeline)];
  const isFailedByAnswer = answeredAt > statusAt;
  return [
    ...(requestId !== undefined && isQueued ? [queuedStep(requestId, trace)] : []),
    ...unreadableSteps(trace),
    ...byCall,
    ...(isFailedByAnswer ? byStatus : []),
    ...operatorSteps(message),
    ...deviceSteps(timeline),
    ...webhookSteps(
      timeline.deliveries.filter((delivery) => statusOf(delivery) !== '' || isByOperator(message)),
      isByOperator(message) ? new Map([['', echoSteps(timeline)], ...stored]) : stored,
    ),
    ...(isFailedByAnswer ? [] : byStatus),
    ...expiredSteps(timeline.expired),
  ];
};

/** Shows an item that has not the form of a send, such as one that failed before its first state. */
const unreadableSteps = ({ send, items }: Trace): readonly TimelineStep[] =>
  send === undefined && items.send !== undefined
    ? [{ source: 'table', title: 'Send item that cannot be read', tone: 'error', bodies: itemBodies(items.send) }]
    : [];

const NO_TRACE: Trace = { items: {}, keys: [] };

/** When the message failed: the service posts the event at once. */
const failedAt = ({ deliveries }: Timeline): string | undefined =>
  deliveries
    .filter((delivery) => statusOf(delivery) === 'failed')
    .map(({ at }) => at)
    .toSorted()[0];

const deviceSteps = (timeline: Timeline): readonly TimelineStep[] => {
  const { message } = timeline;
  if (message === null || message.direction !== 'out' || !('status' in message)) return [];
  const { id, status, code, deliveredAt, seenAt } = message;
  const common = {
    source: 'user' as const,
    ids: idsOf({ 'Message ID': id }),
    bodies: [{ name: 'Message', value: message }],
  };
  if (status === 'failed' || status === 'error') {
    const detail = code && `The platform's code is ${code}.`;
    return [{ ...common, title: 'Failed on the platform', tone: 'error', detail, at: failedAt(timeline) }];
  }
  if (deliveredAt === null) {
    const title = "Not delivered to the user's device yet";
    return [{ ...common, title, tone: 'pending', detail: 'The device is off.', isPending: true }];
  }
  const delivered = { ...common, title: "Delivered to the user's device", tone: 'success' as const, at: deliveredAt };
  if (seenAt === null) return [delivered];
  const detail = status === 'read' ? undefined : 'Read receipts are off, so the chat service sends no read event.';
  return [
    { ...delivered, ids: [], bodies: [] },
    { ...common, title: 'Read by the user', tone: 'success', at: seenAt, detail },
  ];
};

/** Returns a step for each status in the table, by status. When it was stored is not known. The last one shows the item. */
const storedStatuses = (
  { statuses, failure }: Pick<MessageView, 'statuses' | 'failure'> = { statuses: [] },
  bodies: TimelineStep['bodies'],
): ReadonlyMap<string, readonly TimelineStep[]> =>
  new Map(
    statuses.map(({ status, at }, index) => {
      const isFailed = status === 'failed';
      const step: TimelineStep = {
        source: 'table',
        title: `Status stored: ${status}`,
        tone: isFailed ? 'error' : 'success',
        detail: sentences(
          `${status}At is the time of the event: ${formatMilliseconds(at)}`,
          isFailed && failure ? `Failure: ${failure.trim()}` : undefined,
        ),
        bodies: index === statuses.length - 1 ? bodies : [],
      };
      return [status, [step]];
    }),
  );
