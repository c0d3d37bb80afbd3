import type { Instant } from './instant.ts';
import { SEND_STATES, type SendState } from './send-transitions.ts';

/**
 * The states whose sends can be listed without a contact or a broadcast: those that an operator looks for. Most sends
 * are in the other states, and listing them would multiply the writes of every send.
 */
export const LISTED_STATES = ['scheduled', 'waiting', 'refused', 'rejected', 'expired', 'uncertain', 'failed'] as const;

/** Whether the sends in a state can be listed without a contact or a broadcast. */
export const isListed = (state: SendState): boolean => LISTED_STATES.some((listed) => listed === state);

/** The states in which a send waits for something; their lists start with the send that waits longest. */
const WAITING_STATES: readonly string[] = [
  'queued',
  'scheduled',
  'claimed',
  'waiting',
  'uncertain',
] satisfies SendState[];

/** Whether the list of a state starts with the latest send, because its sends have ended. */
export const isNewestFirst = (state: SendState): boolean => !WAITING_STATES.includes(state);

/** Returns the attribute with the time by which a state's sends are listed. Scheduled sends are listed by when they are due. */
export const timeOfState = (state: SendState): `${SendState | 'send'}At` =>
  state === 'scheduled' ? 'sendAt' : `${state}At`;

/** Where a send is in a list: its time, and the code of its refusal, rejection, or failure. */
export interface SendEntry {
  readonly at: Instant;
  readonly code?: string;
}

/** Returns the sort key of a send in the list of its state: `<time>` or `<time>#<code>`, so that keys suffice to count. */
export const stateSort = ({ at, code }: SendEntry): string => (code === undefined ? at : `${at}#${code}`);

export const parseStateSort = (sort: string): SendEntry => {
  const [at = '', code] = sort.split('#');
  return { at, ...(code !== undefined && { code }) };
};

/** Returns the sort key of a send in its broadcast: `<state>#<code>#<time>`, where the code can be empty. */
export const broadcastSort = (state: SendState, { at, code = '' }: SendEntry): string => `${state}#${code}#${at}`;

/** Returns undefined for what {@link broadcastSort} did not write. */
export const parseBroadcastSort = (sort: string): (SendEntry & { readonly state: SendState }) | undefined => {
  const [name, code = '', at = ''] = sort.split('#');
  const state = SEND_STATES.find((known) => known === name);
  return state && { state, at, ...(code !== '' && { code }) };
};

/**
 * Whether a send is among those of its broadcast that can be listed and counted. A claimed send is not: it leaves the
 * state within seconds, and entering it would triple what listing a broadcast costs.
 */
export const isInBroadcast = (state: SendState): boolean => state !== 'claimed';
