import { type Delivery, type ExpiredEvent, isAcknowledged, stringField, type Trace } from '../state/api.ts';
import { readEvent } from '../state/event-fields.ts';
import { idsOf, type TimelineStep } from './timeline-step.ts';
import { describeTurnEnded, isTurnEnded } from './turn-steps.ts';

/**
 * Returns one step per webhook attempt, in the order in which the attempts started.
 *
 * @param stored what the first acknowledged attempt of an event caused, by the event's STATUS; '' for a message event
 */
export const webhookSteps = (
  deliveries: readonly Delivery[],
  stored: ReadonlyMap<string, readonly TimelineStep[]>,
): readonly TimelineStep[] => {
  const attempts = deliveries.toSorted(byTime);
  const isLast = ({ messageId, attempt }: Delivery) =>
    !attempts.some((other) => other.messageId === messageId && other.attempt > attempt);
  // An attempt that was not acknowledged may have stored its event all the same.
  const causes = [...stored].map(([status, steps]) => {
    const own = attempts.filter((delivery) => statusOf(delivery) === status);
    return { cause: own.find(isAcknowledged) ?? own[0], steps };
  });
  return [
    ...attempts.flatMap((delivery) => [
      attemptStep(delivery, isLast(delivery)),
      ...causes.flatMap(({ cause, steps }) => (cause === delivery ? steps : [])),
    ]),
    ...causes.flatMap(({ cause, steps }) => (cause === undefined ? steps : [])),
  ];
};

/** Events that were not acknowledged within seven days (contract, "Limits"), or at once if there is no redelivery. */
export const expiredSteps = (expired: readonly ExpiredEvent[]): readonly TimelineStep[] =>
  expired.map(({ messageId, event, publishedAt, attempts }) => ({
    source: 'webhook',
    title: 'Event dropped: not acknowledged',
    tone: 'error',
    detail: `Published at ${publishedAt}. Failed attempts: ${attempts}. It will not be retried.`,
    ids: idsOf({ 'Event ID': messageId }),
    bodies: [{ name: 'Event', value: event }],
  }));

export const publishedSteps = (trace: Trace | undefined): readonly TimelineStep[] =>
  (trace?.busEvents ?? []).map((event) => ({
    source: 'bus',
    title: `Published ${event.type}`,
    tone: 'success',
    at: event.at,
    ids: idsOf({ 'Event ID': stringField(event.detail, 'id') }),
    bodies: [{ name: 'Event', value: event.detail }],
    ...(isTurnEnded(event) && describeTurnEnded(event)),
  }));

/** Returns the status that the table stores for a status event; '' for a message event. */
export const statusOf = ({ event }: Pick<Delivery, 'event'>): string => {
  const status = readEvent(event).status?.toLowerCase() ?? '';
  return status === 'error' ? 'failed' : status;
};

const byTime = (one: Delivery, other: Delivery): number => Date.parse(one.at) - Date.parse(other.at);

const attemptStep = (delivery: Delivery, isLast: boolean): TimelineStep => {
  const { attempt, status, at, messageId, event } = delivery;
  const name = readEvent(event).status;
  return {
    source: 'webhook',
    title: `Webhook attempt ${attempt}${name ? ` (${name})` : ''}: ${status ?? 'no response'}`,
    ...outcomeOf(delivery, isLast),
    at,
    ids: idsOf({ 'Event ID': messageId }),
    bodies: [{ name: 'Event', value: event }],
  };
};

const outcomeOf = (delivery: Delivery, isLast: boolean): Pick<TimelineStep, 'tone' | 'detail'> => {
  const { status, error } = delivery;
  if (isAcknowledged(delivery)) return { tone: 'success', detail: 'Signature verified, event acknowledged.' };
  const failed = (reason: string, tone: 'error' | 'pending' = 'error') => ({
    tone,
    detail: isLast ? `${reason} It will be retried.` : reason,
  });
  if (status === null) return failed(`The event was not delivered: ${(error ?? 'no response').replace(/\.$/, '')}.`);
  if (status === 401 || status === 403) return failed('The webhook rejected the signature.');
  if (status === 413) return failed('The event is too large.');
  return failed('The event was not acknowledged.', 'pending');
};
