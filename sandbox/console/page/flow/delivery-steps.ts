import type { Delivery, ExpiredEvent } from '../state/shapes.ts';
import type { Step } from './step.ts';

/** The carrier's attempts to bring events to the webhook, and what each answer says of the check behind it. */
export const deliverySteps = (deliveries: readonly Delivery[]): readonly Step[] =>
  deliveries.map((delivery) => ({
    part: 'webhook',
    ...verdict(delivery),
    at: delivery.at,
    bodies: [{ name: 'Event', value: delivery.event }],
  }));

/** A notification of a status; any other event is a message. */
export const statusOf = ({ event }: Delivery): string | undefined =>
  typeof event === 'object' && event !== null && 'STATUS' in event && typeof event.STATUS === 'string'
    ? event.STATUS
    : undefined;

const verdict = (delivery: Delivery): Pick<Step, 'title' | 'tone' | 'detail'> => {
  const { attempt, status } = delivery;
  const what = statusOf(delivery) ?? 'message';
  const title = `Webhook, attempt ${attempt}: ${status ?? 'no answer'}`;
  const refused = (detail: string) => ({ title, tone: 'bad' as const, detail: `${detail} It comes again.` });
  if (status === null) return refused(`${delivery.error ?? 'No answer.'} The event is “${what}”.`);
  if (status === 401 || status === 403) return refused(`The signature of the event “${what}” was refused.`);
  if (status === 413) return refused(`The event “${what}” is too large.`);
  return status >= 200 && status < 300
    ? { title, tone: 'good', detail: `The event “${what}”: signature verified, acknowledged.` }
    : { title, tone: 'wait', detail: `The event “${what}” was not taken. It comes again, with a growing pause.` };
};

/** Events that were not taken within the seven days for which the carrier keeps them (contract, "Limits"). */
export const expiredSteps = (expired: readonly ExpiredEvent[]): readonly Step[] =>
  expired.map(({ event, publishedAt, attempts }) => ({
    part: 'webhook',
    title: 'Webhook: dropped after seven days',
    tone: 'bad',
    detail: `Published at ${publishedAt}, refused ${attempts} times. It comes no more.`,
    bodies: [{ name: 'Event', value: event }],
  }));
