import { SEND_STATES, type SendState } from '../domain/send-transitions.ts';
import { CLOCK_SKEW_MS } from './item-laws.ts';
import type { ItemLaw } from './law.ts';
import { describeTime, has, listNames, type StoredItem, textOf, timeOf } from './stored-item.ts';

const isKnownState = (state: string): state is SendState => SEND_STATES.some((known) => known === state);

/** The attributes that a send in each state must have, besides the time of the state. */
const PARTS: Readonly<Record<SendState, readonly string[]>> = {
  queued: [],
  scheduled: ['sendAt'],
  waiting: [],
  cancelled: [],
  claimed: ['claimId', 'leaseUntil', 'call'],
  uncertain: ['claimId', 'outcome'],
  accepted: ['outcome'],
  refused: ['code', 'decision'],
  expired: ['decision'],
  rejected: ['outcome'],
  failed: ['outcome', 'acceptedAt', 'messageId', 'failure'],
};

/** Attributes that an erasure removes, and that a later decision or outcome need not restore. */
const ERASED = ['leaseUntil', 'call', 'outcome', 'decision', 'failure'];

/** A send whose processing has only failed so far has no state. */
const stateOf = (item: StoredItem): string | undefined => textOf(item, 'state');

const SOURCE = 'decisions/define-send-states-as-data.md';
const STATUS_SOURCE = 'decisions/let-a-status-confirm-a-send.md';

/** Times that a function writes after it has written `createdAt`. */
const LATER = [
  'queuedAt',
  'scheduledAt',
  'cancelledAt',
  'claimedAt',
  'waitingAt',
  'refusedAt',
  'rejectedAt',
  'expiredAt',
  'uncertainAt',
];

/** Whether the first time is later than the second by more than the allowed clock skew. */
const isLater = (item: StoredItem, one: string, other: string): boolean => {
  const [first, second] = [timeOf(item, one), timeOf(item, other)];
  return first !== undefined && second !== undefined && first > second + CLOCK_SKEW_MS;
};

export const SEND_LAWS = [
  {
    name: 'send-is-complete',
    statement:
      'A send has the time of its state and what the state requires: a claim, a code, a decision, or an outcome.',
    source: SOURCE,
    next: 'Compare the send with the log lines of its request ID, and report the item as a defect.',
    kinds: ['send'],
    faultIn(item) {
      const state = stateOf(item);
      if (state === undefined) return has(item, 'failingSince') ? undefined : 'It has no state.';
      if (!isKnownState(state)) return 'Its state is unknown.';
      const isErased = has(item, 'erasedAt');
      const parts = [`${state}At`, 'body', 'attempts', ...(isErased ? [] : ['contact']), ...PARTS[state]];
      const missing = parts.filter(
        (name) =>
          !has(item, name) && !(name === 'attempts' && !has(item, 'claimId')) && !(isErased && ERASED.includes(name)),
      );
      if (missing.length > 0) return `It is ${state} without ${listNames(missing)}.`;
      return has(item, 'code') && !['refused', 'rejected', 'failed'].includes(state)
        ? `It is ${state} but has a code.`
        : undefined;
    },
  },
  {
    name: 'send-times-are-in-order',
    statement: 'No decision about a send is earlier than its request, and no outcome is earlier than its claim.',
    source: SOURCE,
    next: 'Compare the times with the log lines of the request ID, and report the item as a defect.',
    kinds: ['send'],
    faultIn(item) {
      const early = LATER.filter((name) => isLater(item, 'createdAt', name));
      if (early.length > 0) return `${listNames(early)} is earlier than createdAt.`;
      const state = stateOf(item);
      if (state === 'claimed' && has(item, 'leaseUntil') && !(String(item.leaseUntil) > String(item.claimedAt))) {
        return 'Its lease ends before its claim.';
      }
      if (state === 'uncertain' && isLater(item, 'claimedAt', 'uncertainAt'))
        return 'uncertainAt is earlier than its claim.';
      // A status has the time of its event, which can be any time before it arrived.
      const isAnswered = state === 'accepted' && !has(item, 'confirmedBy');
      return isAnswered && isLater(item, 'claimedAt', 'acceptedAt')
        ? 'acceptedAt is earlier than its claim.'
        : undefined;
    },
  },
  {
    name: 'acceptance-ends-uncertainty',
    statement: 'An accepted send is no longer marked as uncertain, even if its message failed later.',
    source: STATUS_SOURCE,
    next: 'Report the item as a defect.',
    kinds: ['send'],
    faultIn(item) {
      const state = stateOf(item);
      if (state !== 'accepted' && state !== 'failed') return undefined;
      const left = ['uncertainAt', 'isAnswered', 'leaseUntil'].filter((name) => has(item, name));
      return left.length === 0 ? undefined : `It is ${state} but still has ${listNames(left)}.`;
    },
  },
  {
    name: 'claim-ends-with-its-lease',
    statement: 'A claim whose lease has expired becomes uncertain when its request is received again.',
    source: 'decisions/claim-a-send-before-the-call.md',
    next: 'Look for the request with parley doctor and parley dead-letters list send. If it is not there, queue it again.',
    kinds: ['send'],
    faultIn(item, { now, graceMs }) {
      const leaseUntil = timeOf(item, 'leaseUntil');
      if (stateOf(item) !== 'claimed' || leaseUntil === undefined) return undefined;
      const isOrphan = Date.parse(now) > leaseUntil + graceMs;
      return isOrphan
        ? `It is still claimed, but its lease expired at ${describeTime(item, 'leaseUntil')}.`
        : undefined;
    },
  },
] as const satisfies readonly ItemLaw[];
