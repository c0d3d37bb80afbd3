import type { SendState } from './send-transitions.ts';

/**
 * The states whose sends can be listed without a contact or a broadcast: those that an operator looks for. Most sends
 * are in the other states, and listing them would multiply the writes of every send.
 */
export const LISTED_STATES = ['scheduled', 'waiting', 'refused', 'rejected', 'expired', 'uncertain', 'failed'] as const;

type UnlistedState = 'queued' | 'claimed' | 'accepted' | 'cancelled';

/**
 * Whether the sends in a state can be listed without a contact or a broadcast. A new state must be added to one of the
 * two lists: otherwise, callers do not compile.
 */
export const isListed = (state: (typeof LISTED_STATES)[number] | UnlistedState): boolean =>
  LISTED_STATES.some((listed) => listed === state);

/** The states in which a send waits for something; their lists start with the send that waits longest. */
const WAITING_STATES = ['queued', 'scheduled', 'claimed', 'waiting', 'uncertain'] as const;

type EndedState = 'accepted' | 'refused' | 'rejected' | 'expired' | 'cancelled' | 'failed';

/** Whether the list of a state starts with the latest send, because its sends have ended. */
export const isNewestFirst = (state: (typeof WAITING_STATES)[number] | EndedState): boolean =>
  !WAITING_STATES.some((waiting) => waiting === state);

/**
 * Whether a send is among those of its broadcast that can be listed and counted. A claimed send is not: it leaves the
 * state within seconds, and entering it would triple what listing a broadcast costs.
 */
export const isInBroadcast = (state: SendState): boolean => state !== 'claimed';
