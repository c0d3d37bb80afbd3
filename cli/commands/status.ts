import type { z } from 'zod';
import { sendResponse } from '../../lambdas/manage/responses.ts';
import type { CommandDefinition } from '../command.ts';

export const status: CommandDefinition = {
  name: 'status',
  what: 'Tell how a send stands, and why',
  positionals: [{ name: 'REQUEST', what: 'the request id' }],
  examples: ['parley status order-17 --stage prod'],
  async run(call) {
    const api = await call.api();
    const answer = await api('GET', `/v1/sends/${encodeURIComponent(call.positional('REQUEST'))}`);
    const send = sendResponse.parse(answer);
    return { text: describeSend(send).join('\n'), json: send };
  },
};

type Send = z.output<typeof sendResponse>;

const TIMES = [
  ['sendAt', 'to go out'],
  ['queuedAt', 'queued'],
  ['scheduledAt', 'scheduled'],
  ['cancelledAt', 'cancelled'],
  ['claimedAt', 'claimed'],
  ['waitingAt', 'waiting'],
  ['uncertainAt', 'uncertain'],
  ['refusedAt', 'refused'],
  ['rejectedAt', 'rejected'],
  ['expiredAt', 'expired'],
  ['acceptedAt', 'accepted'],
  ['deliveredAt', 'delivered'],
  ['readAt', 'read'],
  ['failedAt', 'failed'],
  ['erasedAt', 'erased'],
] as const;

/** A send in a few lines: its state and why, then its times in order. */
export const describeSend = (send: Send): string[] => {
  const { requestId, state, code, why, endpoint, messageId, attempts } = send;
  const times = TIMES.flatMap(([field, word]) => (send[field] === undefined ? [] : [`  ${send[field]}  ${word}`]));
  return [
    `${requestId}: ${state}${code === undefined ? '' : ` (${code})`}`,
    ...(why === undefined ? [] : [`  ${why}`]),
    ...(messageId === undefined ? [] : [`  message ${messageId}, by ${endpoint}`]),
    ...(attempts > 1 ? [`  ${attempts} attempts`] : []),
    ...times.toSorted(),
  ];
};
