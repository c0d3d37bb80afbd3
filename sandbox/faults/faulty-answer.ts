import { setTimeout as pause } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { AnswerFault } from './fault-requests.ts';

/**
 * The answer of a call that a fault meets.
 *
 * @param answer does the call and gives its proper answer
 */
export const faultyAnswer = async (
  context: Context,
  fault: AnswerFault,
  answer: () => Promise<Response>,
): Promise<Response> => {
  if (fault.reset === 'before') return reset(context);
  const isReplaced = fault.status !== undefined || fault.body !== undefined;
  const isDone = fault.accept ?? !isReplaced;
  const proper = isDone ? await answer() : undefined;
  if (fault.delayMs !== undefined) await pause(fault.delayMs);
  if (fault.reset === 'after') return reset(context);
  if (proper !== undefined && !isReplaced) return proper;
  const [text, type] = bodyText(fault.body);
  return new Response(text, {
    status: fault.status ?? 200,
    headers: { 'content-type': type, ...fault.headers },
  });
};

const bodyText = (body: AnswerFault['body']): [string | undefined, string] =>
  typeof body === 'string' || body === undefined ? [body, 'text/plain'] : [JSON.stringify(body), 'application/json'];

const reset = (context: Context): Response => {
  const { incoming } = context.env as HttpBindings;
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
};
