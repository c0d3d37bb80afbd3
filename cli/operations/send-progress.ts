import { SEND_STATES, type SendState } from '../../lambdas/domain/send-transitions.ts';

/**
 * How far a send is: a `pending` one changes without an operator and without a new time, an `unsuccessful` one did not
 * reach its user, and an `ended` one was not sent in time or was cancelled.
 */
const PROGRESS = {
  queued: 'pending',
  scheduled: 'scheduled',
  claimed: 'pending',
  waiting: 'pending',
  accepted: 'accepted',
  refused: 'unsuccessful',
  rejected: 'unsuccessful',
  expired: 'ended',
  uncertain: 'uncertain',
  cancelled: 'ended',
  failed: 'unsuccessful',
} as const satisfies Readonly<Record<SendState, string>>;

export const progressOf = (state: SendState): (typeof PROGRESS)[SendState] => PROGRESS[state];

export const UNSUCCESSFUL_STATES: readonly SendState[] = SEND_STATES.filter(
  (state) => PROGRESS[state] === 'unsuccessful',
);
