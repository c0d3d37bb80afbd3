import type { SendState } from '../../lambdas/domain/send-transitions.ts';

const PENDING: readonly SendState[] = ['queued', 'claimed', 'waiting'];

/** Whether a send in this state changes without an operator and without a new time. */
export const isPending = (state: SendState): boolean => PENDING.includes(state);
