import type { SendResult } from '../../domain/send.ts';
import type { SendRepository, TransitionResult } from '../../ports.ts';
import type { Item } from '../../table/item.ts';
import { contactName, sendKey } from '../../table/keys.ts';
import {
  NOT_FAILED,
  NOT_UNCERTAIN,
  parseSend,
  requestAttributes,
  resultAttributes,
  unknownCallAttributes,
} from '../../table/send-item.ts';
import { createTransitions, describeOutcome, TRANSITION_TO } from './send-writes.ts';
import type { ConversationTable } from './table.ts';

/** Creates the part of the repository of sends that claims a request for a call, and records the result of the call. */
export const createSendClaims = (
  table: ConversationTable,
): Pick<SendRepository, 'claim' | 'replaceCall' | 'recordResult'> => {
  const { apply, transition } = createTransitions(table);

  return {
    async claim(queued, claim, { resend }) {
      const { request, body } = queued;
      const { claimedAt } = claim;
      const { set, setOnce } = requestAttributes(queued, claimedAt, table.expiryOf('sends', claimedAt));
      const { contact: owner, ...once } = setOnce;
      const evidence = { body, ...(request.customerId !== undefined && { customer: owner }) };
      // From now on, the outcome is that of the new call.
      const cleared = { code: undefined, outcome: undefined, isAnswered: undefined };
      const take = (name: 'claim' | 'claimAgain', increment: readonly string[], unknown: Item = {}) => {
        const contact = contactName(queued.contact);
        const update = { set: { ...set, contact, ...claim, ...cleared, ...unknown }, setOnce: once, increment };
        return apply(name, request.requestId, update, evidence, { returnItem: true });
      };
      let outcome = await take('claim', ['attempts']);
      if (resend && outcome.kind === 'conflict' && outcome.item?.state === 'uncertain') {
        // An unknown outcome counts only when another call follows. Until then, a status or an answer may still reveal
        // it.
        const unknown = unknownCallAttributes(parseSend(outcome.item));
        outcome = await take('claimAgain', ['attempts', 'unknownOutcomes'], unknown);
      }
      if (outcome.item === undefined) return { kind: 'missing' };
      const send = parseSend(outcome.item);
      // After a lost response, the SDK repeats a write that already succeeded, so the item may contain this claim.
      const isOurs = send.state === 'claimed' && send.claimId === claim.claimId;
      return outcome.kind === 'written' || isOurs
        ? {
            kind: 'claimed',
            attempt: send.attempts,
            unknownOutcomes: send.unknownOutcomes,
            traceparent: send.traceparent ?? queued.traceparent,
          }
        : { kind: 'conflict', send };
    },

    async replaceCall(requestId, claimId, { call, decision }) {
      return transition('replaceCall', requestId, { set: { call, decision } }, { claimId });
    },

    async recordResult(requestId, claimId, result) {
      const isAccepted = result.state === 'accepted';
      // The chat service's own answer takes precedence over a status and over an unknown outcome.
      const set = {
        ...resultAttributes(result),
        leaseUntil: undefined,
        ...(isAccepted && { ...NOT_UNCERTAIN, confirmedBy: undefined }),
        ...(isUnsent(result) && { unsentClaimId: claimId }),
      };
      const evidence = { claimId, messageId: isAccepted ? result.messageId : undefined };
      const written = { set: { ...set, ...(isAccepted && NOT_FAILED) } };
      let recorded = await transition(TRANSITION_TO[result.state], requestId, written, evidence);
      if (recorded.kind === 'conflict' && recorded.send.state === 'failed' && isAccepted) {
        recorded = await transition('acceptFailed', requestId, { set }, evidence);
      }
      if (recorded.kind === 'conflict' && recorded.send.confirmedBy !== undefined && isUnsent(result)) {
        return recordUnsent(table, requestId, claimId, result);
      }
      // After a lost response, the SDK repeats a write that already succeeded.
      const isRecorded =
        recorded.kind === 'conflict' &&
        recorded.send.confirmedBy === undefined &&
        recorded.send.claimId === claimId &&
        (recorded.send.state === result.state || (recorded.send.state === 'failed' && isAccepted));
      return isRecorded ? { kind: 'applied' } : recorded;
    },
  };
};

/** Whether the result says that the latest call of the send, if there was one, sent nothing. */
const isUnsent = ({ state }: SendResult): boolean => state !== 'accepted' && state !== 'uncertain';

/**
 * Records that the call of a claim sent nothing, although a status has confirmed the send. The status then belongs to
 * an earlier call. Leaves the same item as if the status had arrived after the result of the call.
 */
const recordUnsent = async (
  table: ConversationTable,
  requestId: string,
  claimId: string,
  result: SendResult,
): Promise<TransitionResult> => {
  const decision = 'decision' in result ? { decision: result.decision } : {};
  const outcome = await table.update(
    {
      key: sendKey(requestId),
      set: { [`${result.state}At`]: result.at, ...decision, unsentClaimId: claimId },
      values: { claimId },
      condition: 'attribute_exists(#confirmedBy) AND #claimId = :claimId AND attribute_not_exists(#erasedAt)',
    },
    { returnItem: true },
  );
  return describeOutcome({ ...outcome, kind: 'conflict' });
};
