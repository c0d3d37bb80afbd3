import type { FinalDecision } from '../domain/decision.ts';
import { LoggableError } from '../domain/errors.ts';
import type { QueuedSend } from '../domain/send.ts';
import type { MessageResult } from '../runtime/queue-handler.ts';
import type { Blocked } from './account-view.ts';
import { reportResult, resultOf } from './record-result.ts';
import { mayBeSentLater, resumeSend } from './resume-send.ts';
import { retryBlocked } from './retry-later.ts';
import type { SendContext } from './send-context.ts';

/** Records the decision not to send a request that is not claimed. */
export const endWithoutCall = async (
  context: SendContext,
  send: QueuedSend,
  decision: FinalDecision,
): Promise<MessageResult> => {
  const result = resultOf(decision, context.clock.now());
  const recorded = await context.sends.recordWithoutCall(send, result);
  if (recorded.kind === 'missing') {
    throw new LoggableError(`The send ${send.request.requestId} could not be recorded.`);
  }
  return recorded.kind === 'conflict' ? resumeSend(context, send, recorded.send) : reportResult(context, send, result);
};

/** Records that a request has waited too long, without sending it. */
export const expireSend = (context: SendContext, send: QueuedSend, why: string): Promise<MessageResult> =>
  endWithoutCall(context, send, { kind: 'expire', why });

/**
 * Records that a request waits, unless that is already recorded or the send is uncertain and waits to be resent.
 * Returns the result if the send has ended.
 */
export const recordWaiting = async (
  context: SendContext,
  send: QueuedSend,
  decision: string,
): Promise<MessageResult | undefined> => {
  const result = { state: 'waiting' as const, at: context.clock.now(), decision };
  const recorded = await context.sends.recordWithoutCall(send, result);
  if (recorded.kind === 'conflict' && !mayBeSentLater(send, recorded.send)) {
    return resumeSend(context, send, recorded.send);
  }
  if (recorded.kind === 'applied') reportResult(context, send, result);
  return undefined;
};

/** Makes a request wait while no call may be made. */
export const waitBlocked = async (context: SendContext, send: QueuedSend, blocked: Blocked): Promise<MessageResult> =>
  (await recordWaiting(context, send, blocked.why)) ?? retryBlocked(context, send, blocked);
