import { MAX_UNKNOWN_OUTCOMES } from '../domain/send.ts';
import {
  type FromState,
  SEND_STATES,
  SEND_TRANSITIONS,
  type SendGuard,
  type SendTransition,
  type SendTransitionName,
} from '../domain/send-transitions.ts';
import type { Change, ChangeLaw } from './law.ts';
import { EVERY_TRANSITION, PERSONAL, SEND_WRITES, UNSENT_CALL } from './send-writes.ts';
import { changedNames, countOf, has, listNames, type StoredItem, textOf } from './stored-item.ts';

// Object.entries widens the keys to string.
const TRANSITIONS = Object.entries(SEND_TRANSITIONS) as readonly (readonly [SendTransitionName, SendTransition])[];

/** A change that does not delete the item. */
interface SendChange {
  readonly before: StoredItem | undefined;
  readonly after: StoredItem;
  readonly changed: readonly string[];
}

const NO_STATE = 'none' satisfies FromState;

/** Does not quote an unknown state, because a damaged item could have content there. */
const stateOf = (item: StoredItem | undefined): string => {
  if (!has(item, 'state')) return NO_STATE;
  return SEND_STATES.find((state) => state === item?.state) ?? 'an unknown state';
};

/** Whether a guard held before the change, as far as the two images show. */
const holds = (guard: SendGuard, before: StoredItem, after: StoredItem): boolean => {
  switch (guard) {
    case 'same-request':
      return before.body === after.body;
    case 'own-claim':
      return has(before, 'claimId') && before.claimId === after.claimId;
    case 'later-claim':
      return (
        before.claimId !== after.claimId &&
        (!has(before, 'claimedAt') || isNotBefore(after.claimedAt, before.claimedAt))
      );
    case 'not-erased':
      return !has(before, 'erasedAt');
    case 'note-not-erased':
      return !has(before, 'erasedAt') || !has(after, 'outcomeDetails');
    case 'processing-failed':
      return (
        before.code === 'PROCESSING_FAILED' &&
        (!has(before, 'refusedAt') || isNotBefore(after[`${stateOf(after)}At`], before.refusedAt))
      );
    case 'other-decision':
      return before.decision !== after.decision || has(before, 'failingSince');
    case 'may-resend':
      // The latest unknown outcome is not counted yet.
      return countOf(before, 'unknownOutcomes') < MAX_UNKNOWN_OUTCOMES - 1 && !has(before, 'isAnswered');
    case 'unknown-earlier':
      return has(before, 'unknownOutcomes');
    case 'identified-no-earlier':
      return !has(before, 'messageId') || isNoEarlier('identifiedAt', before, after);
    case 'confirmed-by-status':
      return before.confirmedBy === 'status';
    case 'confirmed-no-earlier':
      return before.confirmedBy === 'status' && isNoEarlier('acceptedAt', before, after);
    case 'same-message':
      return before.messageId === after.messageId;
    case 'other-message':
      return before.messageId !== after.messageId;
    case 'failed-later':
      return (
        isNotBefore(before.failedAt, after.failedAt) &&
        (before.failedAt !== after.failedAt || String(before.failure) > String(after.failure))
      );
    case 'same-address':
      return before.contact === after.contact || textOf(before, 'contact')?.startsWith('CUSTOMER#') === true;
    case 'same-contact':
      return has(before, 'contact');
    case 'lease-expired':
      return isNotBefore(after.uncertainAt, before.leaseUntil);
  }
};

/** Of two messages with the same time, the one with the lesser id is earlier. */
const isNoEarlier = (time: string, before: StoredItem, after: StoredItem): boolean =>
  isNotBefore(before[time], after[time]) &&
  (before[time] !== after[time] || isNotBefore(before.messageId, after.messageId));

const isNotBefore = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' && one >= other;

/** Whether the change records a failed attempt to process the request, which is possible in any state. */
const isFailureRecord = ({ before, after, changed }: SendChange): boolean =>
  has(after, 'failingSince') &&
  has(after, 'lastFailedAt') &&
  changed.every(
    (name) => ['failingSince', 'lastFailedAt'].includes(name) || (name === 'expiresAt' && !has(before, name)),
  );

/** Whether the change records that the latest call sent nothing, although a status has confirmed the send. */
const isUnsentCall = ({ before, after, changed }: SendChange): boolean =>
  before?.confirmedBy === 'status' &&
  after.unsentClaimId === after.claimId &&
  changed.every((name) => UNSENT_CALL.some((each) => each === name));

/**
 * Whether an erasure emptied a send that is neither pending nor claimed. For those states, {@link SEND_TRANSITIONS} has
 * transitions.
 */
const isErasure = ({ before, after, changed }: SendChange): boolean =>
  has(before, 'contact') &&
  isEmptied(after) &&
  !Object.hasOwn(SEND_TRANSITIONS.cancelErased.from, stateOf(before)) &&
  stateOf(before) !== 'claimed' &&
  changed.every((name) => ['body', 'erasedAt', ...PERSONAL].includes(name));

const isEmptied = (after: StoredItem): boolean =>
  after.body === '' && has(after, 'erasedAt') && PERSONAL.every((name) => !has(after, name));

/** Returns why the transition does not explain the change, or undefined if it does. */
const faultOf = (name: SendTransitionName, { before, after, changed }: SendChange): string | undefined => {
  const { from }: SendTransition = SEND_TRANSITIONS[name];
  const guards = Object.entries(from).find(([state]) => state === stateOf(before))?.[1] ?? [];
  const broken = guards.filter((guard) => !holds(guard, before ?? {}, after));
  if (broken.length > 0) return `${name} requires ${broken.join(' and ')}`;
  const foreign = changed.filter((each) => ![...EVERY_TRANSITION, ...SEND_WRITES[name]].includes(each));
  if (foreign.length > 0) return `${name} does not change ${listNames(foreign)}`;
  if ((name === 'cancelErased' || name === 'loseTrackErased') && !isEmptied(after))
    return `${name} must remove all personal data`;
  if (name === 'loseTrackErased' && !isNotBefore(after.erasedAt, before?.leaseUntil))
    return `${name} must wait until the lease expires`;
  const [, by] = CONFIRMED_BY.find(([names]) => names.includes(name)) ?? [[], after.confirmedBy];
  return after.confirmedBy === by
    ? undefined
    : `${name} ${by === undefined ? 'removes confirmedBy' : `sets confirmedBy to ${by}`}`;
};

/** The value of `confirmedBy` after these transitions. The chat service's response takes precedence over a status. */
const CONFIRMED_BY: readonly (readonly [names: readonly SendTransitionName[], by: 'status' | undefined])[] = [
  [['confirm', 'confirmEarlier'], 'status'],
  [['accept', 'acceptFailed'], undefined],
];

const unexplained = (change: SendChange): string | undefined => {
  const [from, to] = [stateOf(change.before), stateOf(change.after)];
  const possible = TRANSITIONS.filter(([, transition]) => transition.to === to && Object.hasOwn(transition.from, from));
  const faults = possible.map(([name]) => faultOf(name, change));
  if (faults.includes(undefined)) return undefined;
  const what = from === to ? `changed while it was ${to}` : `went from ${from} to ${to}`;
  return faults.length === 0
    ? `The send ${what}, which no transition allows. Changed: ${listNames(change.changed)}.`
    : `The send ${what}, but ${faults.join('; ')}.`;
};

const stays = ({ before, after }: Change): SendChange | undefined =>
  after && { before, after, changed: changedNames(before, after).filter((name) => name !== 'pk' && name !== 'sk') };

const COMMON = {
  kinds: ['send'],
  source: 'decisions/define-send-states-as-data.md',
  next: "Compare the send with the chat service's console, and report the change as a defect.",
} as const;

export const SEND_CHANGE_LAWS = [
  {
    ...COMMON,
    name: 'send-follows-its-transitions',
    statement:
      'A send changes only through a transition whose guards hold, an erasure, the record of a failed attempt, or, ' +
      'after a status has confirmed it, the result of a call that sent nothing.',
    faultIn(change) {
      const send = stays(change);
      if (send === undefined || send.changed.length === 0) return undefined;
      return isFailureRecord(send) || isUnsentCall(send) || isErasure(send) ? undefined : unexplained(send);
    },
  },
  {
    ...COMMON,
    name: 'send-keeps-its-request',
    statement:
      'The body, the creation time, and the trace of a send never change. Only an erasure removes them, permanently.',
    faultIn({ before, after }) {
      if (!before || !after) return undefined;
      if (has(before, 'erasedAt') && !has(after, 'erasedAt'))
        return 'The send was erased, but is no longer marked as erased.';
      const isErased = has(after, 'erasedAt');
      const emptied = { body: '', createdAt: undefined, traceparent: undefined };
      const altered = Object.entries(emptied).flatMap(([name, empty]) =>
        has(before, name) && after[name] !== before[name] && !(isErased && after[name] === empty) ? [name] : [],
      );
      return altered.length === 0 ? undefined : `${listNames(altered)} of the send changed.`;
    },
  },
  {
    ...COMMON,
    name: 'send-counts-its-calls',
    statement: 'Each claim adds one attempt, and each replaced unknown outcome adds one unknown outcome.',
    faultIn({ before, after }) {
      if (!after) return undefined;
      const [from, to] = [stateOf(before), stateOf(after)];
      const isClaim = to === 'claimed' && from !== 'claimed';
      const isReplaced = from === 'uncertain' && (to === 'claimed' || to === 'rejected' || to === 'waiting');
      const expected = { attempts: isClaim, unknownOutcomes: isReplaced };
      const wrong = Object.entries(expected).flatMap(([name, isCounted]) =>
        countOf(after, name) === countOf(before, name) + (isCounted ? 1 : 0)
          ? []
          : [
              `${name} went from ${countOf(before, name)} to ${countOf(after, name)} as the send went from ${from} to ${to}`,
            ],
      );
      return wrong.length === 0 ? undefined : `${wrong.join('; ')}.`;
    },
  },
] as const satisfies readonly ChangeLaw[];
