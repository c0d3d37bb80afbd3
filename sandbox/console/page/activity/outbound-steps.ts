import { toneOf } from '../components/badge.tsx';
import { type Call, field, stringField } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import {
  expiredSteps,
  itemBody,
  statusOf,
  type TableItem,
  type TimelineStep,
  traceDetail,
  webhookSteps,
} from './timeline-step.ts';

/** Returns the steps of what the business sends, from the request to the recorded statuses. */
export const outboundSteps = (
  timeline: Timeline,
  sendItem: TableItem | undefined,
  messageItem: TableItem | undefined,
): readonly TimelineStep[] => {
  const calls = timeline.calls.map(callStep);
  return [
    ...(sendItem ? sendSteps(sendItem, calls) : calls),
    ...deviceSteps(timeline),
    ...webhookSteps(timeline.deliveries.filter((delivery) => statusOf(delivery) !== undefined)),
    ...expiredSteps(timeline.expired),
    ...(messageItem ? [statusStep(messageItem)] : []),
  ];
};

const sendSteps = (send: TableItem, calls: readonly TimelineStep[]): readonly TimelineStep[] => {
  const requestId = (stringField(send, 'pk') ?? '').replace(/^SEND#/, '');
  const state = stringField(send, 'state') ?? 'unknown';
  const endpoint = field(send.call, 'endpoint');
  // The item of a request that ends without a call may still contain the call of an earlier attempt.
  const isCalled = endpoint !== undefined && state !== 'refused' && state !== 'expired';
  const attempts = Number(send.attempts ?? 0);
  return [
    {
      source: 'queue',
      title: `Request ${requestId} queued`,
      tone: 'success',
      detail: traceDetail(send),
      bodies: [{ name: 'Request', value: stringField(send, 'body') }],
    },
    {
      source: 'decision',
      title: `Decision: ${isCalled ? endpoint : (stringField(send, 'code') ?? state)}`,
      tone: isCalled ? 'success' : toneOf(state),
      detail: stringField(send, 'decision'),
      at: stringField(send, 'claimedAt') ?? stringField(send, `${state}At`),
      bodies: isCalled ? [{ name: 'Call', value: send.call, order: 'table-item' }] : [],
    },
    ...calls,
    {
      source: 'table',
      title: `Send state: ${state}`,
      tone: toneOf(state),
      detail: sentences(
        stringField(send, 'outcome'),
        stringField(send, 'outcomeDetails'),
        attempts > 1 ? `${attempts} attempts so far` : undefined,
      ),
      at: stringField(send, `${state}At`),
      bodies: [itemBody(send)],
    },
  ];
};

/** Joins sentences, with or without a final period. Returns undefined if there are none. */
const sentences = (...parts: readonly (string | undefined)[]): string | undefined => {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : given.map((part) => `${part.replace(/\.$/, '')}.`).join(' ');
};

const callStep = ({ path, status, at, request, answer, messageId, traceparent }: Call): TimelineStep => {
  const isAccepted = messageId !== null;
  return {
    source: 'service',
    title: `POST ${path.split('/').slice(-2).join('/')}: ${status}`,
    tone: isAccepted ? 'success' : 'error',
    detail: sentences(
      isAccepted ? `Message ID: ${messageId}` : errorIn(answer),
      traceparent ? `Header traceparent: ${traceparent}` : undefined,
    ),
    at,
    bodies: [
      { name: 'Request', value: request },
      { name: 'Response', value: answer },
    ],
  };
};

/** Summarizes the `error` or `problems` object of a response; undefined if it has none. */
const errorIn = (response: unknown): string | undefined => {
  const error = field(response, 'error') ?? field(response, 'problems');
  const code = field(error, 'code');
  return code === undefined ? undefined : `Error ${code}: ${field(error, 'message')}`;
};

const deviceSteps = ({ message }: Timeline): readonly TimelineStep[] => {
  if (message === null || message.direction !== 'out' || !('status' in message)) return [];
  const { status, deliveredAt, seenAt } = message;
  const isDelivered = deliveredAt !== null;
  const read = status === 'read' ? 'Read by the user.' : 'Read by the user, who has read receipts turned off.';
  return [
    {
      source: 'user',
      title: isDelivered ? "Delivered to the user's device" : "Not yet delivered to the user's device",
      tone: isDelivered ? 'success' : 'pending',
      detail: seenAt === null ? undefined : read,
      at: deliveredAt ?? undefined,
      bodies: [{ name: 'Message', value: message }],
    },
  ];
};

const STATUS_TIMES = ['sentAt', 'deliveredAt', 'readAt', 'failedAt'];

const statusStep = (message: TableItem): TimelineStep => {
  const statuses = STATUS_TIMES.filter((name) => stringField(message, name) !== undefined)
    .map((name) => name.replace(/At$/, ''))
    .join(', ');
  return {
    source: 'table',
    title: statuses ? `Statuses stored: ${statuses}` : 'Message stored',
    tone: 'success',
    bodies: [itemBody(message)],
  };
};
