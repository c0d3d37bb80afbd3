import { withReadableTimes } from '../components/time.ts';
import type { SendStates, SendSummary } from '../state/api.ts';
import type { RequestFilter } from '../state/route.ts';

export const isFiltered = ({ text, state }: RequestFilter): boolean => text !== '' || state !== undefined;

/** Returns the states that occur, and the one that is chosen even if it does not. */
export const statesToOffer = (
  states: SendStates,
  chosen: string | undefined,
): readonly (readonly [state: string, count: number])[] => {
  const occurring = Object.entries(states).filter(([state, count]) => count > 0 || state === chosen);
  return chosen === undefined || chosen in states ? occurring : [...occurring, [chosen, 0]];
};

interface Counts {
  readonly filter: RequestFilter;
  readonly listed: number;
  readonly matching: number;
  readonly all: number;
}

/** Says how many requests there are: `42 of 310 requests, latest 200 shown`. */
export const countOf = ({ filter, listed, matching, all }: Counts): string => {
  const found = isFiltered(filter) ? `${formatCount(matching)} of ${formatCount(all)}` : formatCount(matching);
  const noun = (isFiltered(filter) ? all : matching) === 1 ? 'request' : 'requests';
  return `${found} ${noun}${listed < matching ? `, latest ${formatCount(listed)} shown` : ''}`;
};

export const sum = (states: SendStates): number => Object.values(states).reduce((total, count) => total + count, 0);

export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** Returns the reason for a request's state, if there is more to say than the state itself. */
export const reasonOf = ({ state, code, decision, outcome, outcomeDetails }: SendSummary): string | undefined => {
  if (state === 'accepted') return undefined;
  if (state === 'failed') return [code, outcomeDetails].filter(Boolean).join(': ') || outcome;
  // If a request expires, the outcome is that of an earlier call.
  const reason = code ?? (state === 'expired' ? decision : (outcomeDetails ?? outcome ?? decision));
  return reason && withReadableTimes(reason);
};
