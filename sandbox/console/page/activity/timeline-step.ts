import type { Tone } from '../components/badge.tsx';
import type { KeyOrder } from '../components/json-text.ts';
import { type Delivery, type ExpiredEvent, stringField, type Trace } from '../state/api.ts';

/** Where a step happened. */
export type StepSource = 'user' | 'webhook' | 'table' | 'queue' | 'decision' | 'service' | 'bus';

export type TimelineStep = {
  readonly source: StepSource;
  readonly title: string;
  readonly tone: Tone;
  /** The reason or the result, as a sentence. */
  readonly detail?: string;
  readonly at?: string;
  readonly bodies: readonly StepBody[];
};

export type StepBody = { readonly name: string; readonly value: unknown; readonly order?: KeyOrder };

export type TableItem = Readonly<Record<string, unknown>>;

/** Shows an item of the table. */
export const itemBody = (item: TableItem): StepBody => ({ name: 'Table item', value: item, order: 'table-item' });

/** Names the trace of an item, as in the logs: the second field of its W3C `traceparent`. */
export const traceDetail = (item: TableItem): string | undefined => {
  const traceId = stringField(item, 'traceparent')?.split('-')[1];
  return traceId === undefined ? undefined : `Trace ID: ${traceId}`;
};

/** One step per webhook attempt. */
export const webhookSteps = (deliveries: readonly Delivery[]): readonly TimelineStep[] =>
  deliveries.map((delivery) => ({
    source: 'webhook',
    title: `Webhook attempt ${delivery.attempt}: ${delivery.status ?? 'no response'}`,
    ...outcomeOf(delivery),
    at: delivery.at,
    bodies: [{ name: 'Event', value: delivery.event }],
  }));

/** Events that were not acknowledged within the retention of seven days (contract, "Limits"). */
export const expiredSteps = (expired: readonly ExpiredEvent[]): readonly TimelineStep[] =>
  expired.map(({ event, publishedAt, attempts }) => ({
    source: 'webhook',
    title: 'Event expired after 7 days',
    tone: 'error',
    detail: `Published at ${publishedAt}. Failed attempts: ${attempts}. It will not be retried.`,
    bodies: [{ name: 'Event', value: event }],
  }));

export const publishedSteps = (trace: Trace | undefined): readonly TimelineStep[] =>
  (trace?.busEvents ?? []).map(({ at, type, detail }) => ({
    source: 'bus',
    title: `Published ${type}`,
    tone: 'success',
    at,
    bodies: [{ name: 'Event', value: detail }],
  }));

/** Returns the STATUS of a status event; undefined for a message event. */
export const statusOf = ({ event }: Delivery): string | undefined => stringField(event, 'STATUS');

const outcomeOf = (delivery: Delivery): Pick<TimelineStep, 'tone' | 'detail'> => {
  const { status, error } = delivery;
  const event = `"${statusOf(delivery) ?? 'message'}" event`;
  if (status !== null && status >= 200 && status < 300)
    return { tone: 'success', detail: `Signature verified, ${event} acknowledged.` };
  const failed = (reason: string) => ({ tone: 'error' as const, detail: `${reason} It will be retried.` });
  if (status === null) return failed(`Could not deliver the ${event}: ${(error ?? 'no response').replace(/\.$/, '')}.`);
  if (status === 401 || status === 403) return failed(`The webhook rejected the signature of the ${event}.`);
  if (status === 413) return failed(`The ${event} is too large.`);
  return { tone: 'pending', detail: `The ${event} was not acknowledged. It will be retried with backoff.` };
};
