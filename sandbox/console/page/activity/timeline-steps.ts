import { type Message, stringField } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { outboundSteps } from './outbound-steps.ts';
import {
  expiredSteps,
  itemBody,
  publishedSteps,
  type TableItem,
  type TimelineStep,
  webhookSteps,
} from './timeline-step.ts';

/** Returns the steps of a message or request, in the order in which it passes through them. */
export const timelineSteps = (timeline: Timeline): readonly TimelineStep[] => {
  const { message, trace } = timeline;
  const itemOf = (sortKey: string): TableItem | undefined => trace?.items.find(({ sk }) => sk === sortKey);
  const steps =
    message?.direction === 'in'
      ? inboundSteps(timeline, message, itemOf('MESSAGE'), itemOf('CONTACT'))
      : outboundSteps(timeline, itemOf('SEND'), itemOf('MESSAGE'));
  return [...steps, ...publishedSteps(trace)];
};

/** Returns the ID of the timeline's send if its outcome is unknown, so that the user can resolve it. */
export const uncertainRequest = ({ trace }: Timeline): string | undefined => {
  const send = trace?.items.find(({ sk }) => sk === 'SEND');
  return stringField(send, 'state') === 'uncertain' ? stringField(send, 'pk')?.replace(/^SEND#/, '') : undefined;
};

const inboundSteps = (
  { deliveries, expired }: Timeline,
  message: Message,
  messageItem: TableItem | undefined,
  contactItem: TableItem | undefined,
): readonly TimelineStep[] => [
  {
    source: 'user',
    title: 'User sent a message',
    tone: 'success',
    at: message.at,
    bodies: [{ name: 'Message', value: message }],
  },
  ...(deliveries.length + expired.length === 0 ? [DELIVERY_PENDING] : webhookSteps(deliveries)),
  ...expiredSteps(expired),
  ...(messageItem ? [storedStep(messageItem)] : []),
  ...(contactItem ? [windowStep(contactItem)] : []),
];

const DELIVERY_PENDING: TimelineStep = {
  source: 'webhook',
  title: 'Webhook delivery pending',
  tone: 'pending',
  detail: 'The event is retried until it is acknowledged, for up to 7 days.',
  bodies: [],
};

const storedStep = (message: TableItem): TimelineStep => {
  const source = TIME_SOURCES.get(stringField(message, 'createdAtSource') ?? '') ?? 'its own field';
  return {
    source: 'table',
    title: 'Message stored',
    tone: 'success',
    detail: `Event time: ${stringField(message, 'createdAt')}, from ${source}.`,
    bodies: [itemBody(message)],
  };
};

/** Where an item's `createdAt` comes from, by its `createdAtSource`. */
const TIME_SOURCES: ReadonlyMap<string, string> = new Map([
  ['event', 'CREATION_TIME'],
  ['publish-time', 'the publish time'],
  ['arrival', 'the arrival time'],
]);

const windowStep = (contact: TableItem): TimelineStep => ({
  source: 'table',
  title: 'Conversation window updated',
  tone: 'success',
  detail: `Starts at ${stringField(contact, 'lastInboundAt')}, the time of the user's latest message.`,
  bodies: [itemBody(contact)],
});
