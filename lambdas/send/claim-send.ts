import type { CallDecision } from '../domain/decision.ts';
import { LoggableError, ParleyError } from '../domain/errors.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import type { AddressedSend, Claim } from '../domain/send.ts';
import type { Claimed, SendRepository } from '../ports.ts';
import type { MessageResult } from '../runtime/queue-handler.ts';
import { repeatUntil } from '../runtime/time-budget.ts';
import { mayBeSentLater, resumeSend, SOON } from './resume-send.ts';
import type { SendContext } from './send-context.ts';

/** A send that no other function may call the chat service for until the claim's lease has expired. */
export interface ClaimedSend extends Pick<Claimed, 'attempt' | 'unknownOutcomes'> {
  readonly send: AddressedSend;
  readonly claim: Claim;
}

/**
 * Claims a send for the call that was decided. Returns the result if the send was claimed before or has ended.
 *
 * @param latestStart when it is too late to make the call
 */
export const claimSend = async (
  context: SendContext,
  received: AddressedSend,
  decision: CallDecision,
  latestStart: Instant,
): Promise<ClaimedSend | { readonly result: MessageResult }> => {
  const claim = createClaim(context, decision);
  const claimed = await repeatClaim(context, received, claim, latestStart);
  switch (claimed.kind) {
    case 'claimed':
      // Another writer may have recorded the send first, in another trace.
      return { ...claimed, send: { ...received, traceparent: claimed.traceparent }, claim };
    case 'conflict': {
      // The clock of the function that claimed it before may be ahead.
      const isLater = mayBeSentLater(received, claimed.send);
      return { result: isLater ? SOON : await resumeSend(context, received, claimed.send) };
    }
    case 'missing':
      throw new LoggableError(`The send ${received.request.requestId} could not be claimed.`);
  }
};

const createClaim = ({ clock, randomness, leaseMs }: SendContext, { call, why: decision }: CallDecision): Claim => {
  const claimedAt = clock.now();
  return { claimId: randomness.newId(), claimedAt, leaseUntil: addMs(claimedAt, leaseMs), call, decision };
};

/**
 * Claims the send. If the response is lost, repeats the claim with the same id. If the claim still cannot be
 * confirmed, records that the send waits, because no call was made.
 */
const repeatClaim = async (
  context: SendContext,
  send: AddressedSend,
  claim: Claim,
  latestStart: Instant,
): Promise<Awaited<ReturnType<SendRepository['claim']>>> => {
  const resend = send.request.onUncertain === 'resend';
  try {
    return await repeatUntil(latestStart, () => context.sends.claim(send, claim, { resend }), context);
  } catch (error) {
    if (error instanceof ParleyError) throw error;
    await giveBack(context, send, claim, 'The claim could not be confirmed, so no call was made.');
    throw error;
  }
};

/** Gives a claim back for which no call was made. */
export const giveBack = async (
  context: SendContext,
  { request, endBy }: AddressedSend,
  { claimId }: Claim,
  outcome: string,
): Promise<void> => {
  const result = { state: 'waiting' as const, at: context.clock.now(), outcome };
  await repeatUntil(endBy, () => context.sends.recordResult(request.requestId, claimId, result), context);
};
