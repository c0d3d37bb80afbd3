import type { AddressedSend } from '../../lambdas/domain/send.ts';
import type { SendState } from '../../lambdas/domain/send-transitions.ts';
import type { SendRepository } from '../../lambdas/ports.ts';
import { claim, NOW, queuedSend, sendRequest, sendResult } from './builders.ts';

/** The states in which no function works on a send. An operator or a status can still change some of them. */
export const FINAL_STATES: readonly string[] = [
  'accepted',
  'refused',
  'rejected',
  'expired',
  'uncertain',
  'cancelled',
  'failed',
];

/** Brings a new send into a state the way the functions do. Returns the send. */
export const putSendInState = async (
  sends: SendRepository,
  state: SendState,
  { requestId = 'request-1', at = NOW } = {},
): Promise<AddressedSend> => {
  const send = queuedSend(sendRequest({ requestId }));
  const ownClaim = claim({ claimId: `claim-${requestId}`, claimedAt: at });
  switch (state) {
    case 'queued':
      await sends.register(send, at);
      break;
    case 'scheduled':
    case 'cancelled':
      await sends.schedule(send, { at, sendAt: '2026-11-21T12:00:00.000Z' });
      if (state === 'cancelled') await sends.cancel(requestId, at);
      break;
    case 'refused':
      await sends.recordWithoutCall(send, { state, at, code: 'NO_OPT_IN', decision: 'No opt-in is recorded.' });
      break;
    case 'expired':
      await sends.recordWithoutCall(send, { state, at, decision: 'notAfter has passed.' });
      break;
    case 'claimed':
      await sends.claim(send, ownClaim, { resend: false });
      break;
    case 'accepted':
    case 'failed':
      await sends.claim(send, ownClaim, { resend: false });
      await sends.recordResult(requestId, ownClaim.claimId, {
        state: 'accepted',
        at,
        messageId: `message-${requestId}`,
        outcome: 'The chat service accepted it.',
      });
      if (state === 'failed') {
        await sends.fail(requestId, { messageId: `message-${requestId}`, at, failure: '131026 cannot receive' });
      }
      break;
    case 'waiting':
    case 'rejected':
    case 'uncertain':
      await sends.claim(send, ownClaim, { resend: false });
      await sends.recordResult(requestId, ownClaim.claimId, sendResult(state, at));
      break;
  }
  const stored = await sends.read(requestId);
  if (stored?.state !== state) throw new Error(`The send ${requestId} is ${stored?.state} and not ${state}.`);
  return send;
};
