import type { z } from 'zod';
import { SEND_STATES } from '../../lambdas/domain/send-transitions.ts';
import type { sendResponse } from '../../lambdas/manage/api/sends.ts';
import { describeDistance } from '../base/human-time.ts';

type Send = z.output<typeof sendResponse>;

/** Returns the customer that the request names, if it names one. */
const customerOf = ({ request }: Send): string | undefined => {
  const customerId: unknown =
    typeof request === 'object' && request !== null ? Reflect.get(request, 'customerId') : undefined;
  return typeof customerId === 'string' ? customerId : undefined;
};

const TIMES = [
  ['sendAt', 'due'],
  ...SEND_STATES.map((state) => [`${state}At`, state] as const),
  ['deliveredAt', 'delivered'],
  ['readAt', 'read'],
  ['answeredAt', 'answered'],
  ['erasedAt', 'erased'],
] as const;

/**
 * Describes a send in a few lines: its state, its decision, its outcome, and its times in order.
 *
 * @param now to show how far away each time is
 */
export const describeSend = (send: Send, now?: string): readonly string[] => {
  const { requestId, state, code, decision, outcome, outcomeDetails, endpoint, messageId, traceId, attempts } = send;
  const { likelyMessage, platformContactId } = send;
  const customerId = customerOf(send);
  const times = TIMES.flatMap(([field, label]) => {
    const time = send[field];
    if (time === undefined) return [];
    const distance = now === undefined ? undefined : describeDistance(time, now);
    return [`  ${time}  ${label}${distance === undefined ? '' : ` (${distance})`}`];
  });
  return [
    `${requestId}: ${state}${code === undefined ? '' : ` (${code})`}`,
    ...(customerId === undefined
      ? []
      : [`  customer ${customerId}${platformContactId === undefined ? '' : `, at ${platformContactId}`}`]),
    ...(decision === undefined ? [] : [`  decision: ${decision}`]),
    ...(outcome === undefined ? [] : [`  outcome: ${outcome}`]),
    ...(outcomeDetails === undefined ? [] : [`  details: ${outcomeDetails}`]),
    ...(likelyMessage === undefined
      ? []
      : [`  probably message ${likelyMessage.id} of ${likelyMessage.createdAt}: it alone has this text or template`]),
    // The call of an erased send is not known any more.
    ...(messageId === undefined ? [] : [`  message ${messageId}${endpoint === undefined ? '' : ` (${endpoint})`}`]),
    ...(traceId === undefined ? [] : [`  trace ${traceId}`]),
    ...(attempts > 1 ? [`  ${attempts} attempts`] : []),
    ...times.toSorted(),
  ];
};
