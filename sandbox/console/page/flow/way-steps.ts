import type { Way } from '../state/console-state.ts';
import { deliverySteps, expiredSteps, statusOf } from './delivery-steps.ts';
import { callStep, sendSteps } from './send-steps.ts';
import { type Step, type TableItem, textOf } from './step.ts';

/** The way of a message or a request through the parts, in the order in which it passes them. */
export const waySteps = (way: Way): readonly Step[] => {
  const items: readonly TableItem[] = way.trace?.items ?? [];
  const send = items.find(({ sk }) => sk === 'SEND');
  const kept = items.find(({ sk }) => sk === 'MESSAGE');
  const contact = items.find(({ sk }) => sk === 'CONTACT');
  const bus = (way.trace?.busEvents ?? []).map(
    ({ at, type, detail }): Step => ({
      part: 'bus',
      title: `Bus: ${type}`,
      tone: 'good',
      at,
      bodies: [{ name: 'Event', value: detail }],
    }),
  );
  const { message, deliveries } = way;
  const dropped = expiredSteps(way.expired);
  if (message?.direction === 'in') {
    const tried = deliveries.length + dropped.length === 0 ? [onItsWay()] : deliverySteps(deliveries);
    return [wrote(message), ...tried, ...dropped, ...stored(kept), ...window(contact), ...bus];
  }
  const sent = send ? sendSteps(send, way.calls) : way.calls.map(callStep);
  const statuses = deliverySteps(deliveries.filter((delivery) => statusOf(delivery) !== undefined));
  return [...sent, ...reached(way), ...statuses, ...dropped, ...statusKept(kept), ...bus];
};

const wrote = (message: NonNullable<Way['message']>): Step => ({
  part: 'user',
  title: 'The user writes',
  tone: 'good',
  at: message.at,
  bodies: [{ name: 'Message', value: message }],
});

const onItsWay = (): Step => ({
  part: 'webhook',
  title: 'On its way to the webhook',
  tone: 'wait',
  detail: 'The carrier has it, and tries until it is acknowledged or seven days old.',
  bodies: [],
});

const stored = (item: TableItem | undefined): readonly Step[] =>
  item === undefined
    ? []
    : [
        {
          part: 'table',
          title: 'Table: message stored',
          tone: 'good',
          detail: `Its time is ${textOf(item, 'createdAt')}, by its ${SOURCES[textOf(item, 'createdAtSource') ?? ''] ?? 'own field'}.`,
          at: undefined,
          bodies: [{ name: 'Item', value: item }],
        },
      ];

const SOURCES: Readonly<Record<string, string>> = {
  event: 'CREATION_TIME',
  carrier: 'carrier’s publish time',
  arrival: 'arrival',
};

const window = (contact: TableItem | undefined): readonly Step[] =>
  contact === undefined
    ? []
    : [
        {
          part: 'table',
          title: 'Table: conversation window',
          tone: 'good',
          detail: `Counted from ${textOf(contact, 'lastInboundAt')}, the user’s latest message.`,
          bodies: [{ name: 'Item', value: contact }],
        },
      ];

const reached = ({ message }: Way): readonly Step[] => {
  if (message === null || message.direction !== 'out' || !('status' in message)) return [];
  const { status, deliveredAt, seenAt } = message;
  const read = seenAt === null ? undefined : 'The user has read it.';
  return [
    {
      part: 'user',
      title: deliveredAt === null ? 'Not on the user’s device yet' : 'On the user’s device',
      tone: deliveredAt === null ? 'wait' : 'good',
      detail: read && status !== 'read' ? `${read} The user’s settings withhold that.` : read,
      at: deliveredAt ?? undefined,
      bodies: [{ name: 'Message', value: message }],
    },
  ];
};

const statusKept = (item: TableItem | undefined): readonly Step[] => {
  const times = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'].filter((name) => textOf(item, name) !== undefined);
  if (item === undefined) return [];
  const told = times.map((name) => name.replace(/At$/, '')).join(', ');
  return [
    {
      part: 'table',
      title: told ? `Table: ${told}` : 'Table: message stored',
      tone: 'good',
      bodies: [{ name: 'Item', value: item }],
    },
  ];
};
