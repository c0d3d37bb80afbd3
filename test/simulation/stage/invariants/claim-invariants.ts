import { SEND_TRANSITIONS, type SendTransition } from '../../../../lambdas/domain/send-transitions.ts';
import type { FunctionName } from '../ledger.ts';
import { type CallFact, requestIdsOf, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const CLAIM_INVARIANTS = {
  onlyKnownTransitions: {
    sentence:
      "Every change to a send's state is a transition in send-transitions.ts, made by a function that is allowed " +
      'to make it.',
    check(facts, { checked, violated }) {
      for (const { key, before, after, ...entry } of facts.entries('write')) {
        if (!key.startsWith('SEND#') || after === undefined || before?.state === after.state) continue;
        checked();
        const from = String(before?.state ?? 'none');
        const by = facts.invocationAt(entry)?.function;
        const isKnown = Object.values<SendTransition>(SEND_TRANSITIONS).some(
          (one) => one.to === after.state && Object.hasOwn(one.from, from) && writersOf(one).includes(by),
        );
        if (!isKnown) violated(`${key} went from ${from} to ${String(after.state)}, by ${by}.`, entry.index);
      }
    },
  },

  claimedBeforeCall: {
    sentence: 'A process makes a call only if it has claimed the send and its lease has not expired.',
    check(facts, { checked, violated }) {
      for (const call of facts.calls) {
        checked();
        const item = facts.itemBefore(`SEND#${call.requestId} SEND`, call.index);
        const { claim } = call;
        const isOwn = claim !== undefined && claim.invocation === call.invocation && item?.claimId === claim.claimId;
        // A status can confirm the send while its call is still in progress.
        const isClaimed = item?.state === 'claimed' || item?.confirmedBy === 'status';
        if (!isOwn || !isClaimed) {
          violated(`${call.requestId} was called by ${call.process}, and is ${String(item?.state)}.`, call.index);
        } else if (call.atMs > Date.parse(claim.leaseUntil)) {
          violated(`${call.requestId} was called after its lease had expired.`, call.index);
        }
      }
    },
  },

  leaseRespected: {
    sentence: 'Only the function that claimed a send ends the claim before its lease has expired.',
    check(facts, { checked, violated }) {
      for (const { before, after, atMs, index, requestId } of facts.changesOfSends()) {
        if (before?.state !== 'claimed' || after.state === 'accepted') continue;
        checked();
        const claim = facts.claims.get(String(before.claimId));
        const isOwn = claim?.invocation === facts.invocationAt({ index });
        if (!isOwn && atMs < Date.parse(String(before.leaseUntil))) {
          violated(`${requestId} became ${String(after.state)} although its claim was not over.`, index);
        }
      }
    },
  },

  sentOnce: {
    sentence:
      'No request reaches a user twice, unless its onUncertain is resend and the previous call had an unknown ' +
      'outcome and no 2xx, or an operator resends it. Without an operator, at most five calls have an unknown ' +
      'outcome.',
    check(facts, { checked, violated }) {
      for (const requestId of requestIdsOf(facts)) {
        const effects = facts.callsOf(requestId).filter(({ effect }) => effect !== undefined);
        if (effects.length > 0) checked();
        for (const [place, call] of effects.entries()) {
          const before = effects[place - 1];
          if (before === undefined || isResent(facts, before, call)) continue;
          const isUnknown = !before.isKnown && !before.isKnownToBeAnswered;
          if (call.request?.onUncertain === 'resend' && isUnknown) continue;
          violated(`${requestId} reached the user ${place + 1} times.`, call.index);
        }
        const unknown = facts.callsOf(requestId).filter(({ isAnswered }) => !isAnswered);
        const [first, last] = [unknown[0], unknown.at(MAX_UNKNOWN)];
        if (first && last && !isResent(facts, first, last)) {
          violated(`${requestId} was called after ${MAX_UNKNOWN} unknown outcomes.`, last.index);
        }
      }
    },
  },

  knownOutcomeKept: {
    sentence:
      'A request whose outcome is known is not called again, and is not recorded as uncertain, until an operator ' +
      'resends it.',
    check(facts, { checked, violated }) {
      for (const known of facts.calls) {
        if (!known.isKnown || (known.end !== 'accepted' && known.end !== 'rejected')) continue;
        checked();
        const again = facts.callsOf(known.requestId).find(({ index }) => index > known.index);
        if (again && !isResent(facts, known, again)) {
          violated(`${known.requestId} was called again, although it was known to be ${known.end}.`, again.index);
        }
        const unknown = facts
          .changesOfSends(known.requestId)
          .find(
            ({ after, index }) =>
              index > known.index && after.state === 'uncertain' && after.claimId === known.claimId && known.claimId,
          );
        if (unknown) violated(`${known.requestId} is uncertain, but was known to be ${known.end}.`, unknown.index);
      }
    },
  },

  uncertainOnlyAfterCall: {
    sentence:
      'A send is uncertain only if a call was made, or if the function that claimed it died, or could not write ' +
      'until it ended.',
    check(facts, { checked, violated }) {
      for (const { before, after, index, requestId } of facts.changesOfSends()) {
        if (after.state !== 'uncertain' || before?.state === 'uncertain') continue;
        checked();
        const claim = facts.claims.get(String(after.claimId));
        if (claim === undefined || facts.couldNotRecord(requestId, claim.invocation)) continue;
        const isCalled = facts.callsOf(requestId).some(({ claimId }) => claimId === claim.claimId);
        if (!isCalled) violated(`${requestId} is uncertain, although no call was made.`, index);
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

/** After this many unknown outcomes, a send stays uncertain. Source: lambdas/domain/send.ts */
const MAX_UNKNOWN = 5;

const RECEIVERS: readonly (FunctionName | undefined)[] = ['receive', 'drain'];
const MANAGERS: readonly (FunctionName | undefined)[] = ['manage', 'erase'];
const WRITERS: Readonly<Record<SendTransition['by'], readonly (FunctionName | undefined)[]>> = {
  send: ['send'],
  receive: RECEIVERS,
  manage: MANAGERS,
  operator: ['manage'],
};

/** Who records the message of a send also records that it failed, if a status said so before. */
const writersOf = ({ by, to }: SendTransition): (typeof WRITERS)['send'] =>
  to === 'failed' ? [...WRITERS[by], 'send', 'manage'] : WRITERS[by];

/** Whether an operator resent the request between two calls. */
const isResent = (facts: StageFacts, before: CallFact, call: CallFact): boolean =>
  facts
    .changesOfSends(call.requestId)
    .some(
      ({ index, after }) =>
        index > before.index &&
        index < call.index &&
        after.state === 'waiting' &&
        facts.invocationAt({ index })?.function === 'manage',
    );
