import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from '../components/link.tsx';
import { store, useConsole } from '../state/console-state.ts';
import { replaceRoute } from '../state/navigate.ts';
import type { RequestFilter } from '../state/route.ts';
import { countOf, formatCount, statesToOffer, sum } from './request-counts.ts';

/** Browsers limit how often a page may change its URL. */
const TYPING_PAUSE_MS = 20;

/** Finds requests by text and by state. */
export const RequestFilterBar = () => {
  const filter = useConsole((state) => state.route.filter);
  const requests = useConsole((state) => state.requests);
  const states = useConsole((state) => state.sendStates);
  return (
    <div class="filter-bar">
      <TextFilter />
      <p class="count" role="status">
        {requests && countOf({ filter, listed: requests.sends.length, matching: requests.total, all: sum(states) })}
      </p>
      <nav class="states" aria-label="States">
        <StateLink filter={filter} state={undefined} count={sum(states)} />
        {statesToOffer(states, filter.state).map(([state, count]) => (
          <StateLink key={state} filter={filter} state={state} count={count} />
        ))}
      </nav>
    </div>
  );
};

/** The URL follows the text after a short pause, and the text follows the URL. */
const TextFilter = () => {
  // From the store and not from the parent, which renders a frame later: a character typed in between would be lost.
  const text = useConsole((state) => state.route.filter.text);
  const [typed, setTyped] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const type = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      replaceRoute({ filter: { ...store.get().route.filter, text: value } });
      setTyped(undefined);
    }, TYPING_PAUSE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  return (
    <label>
      <span class="visually-hidden">Find requests</span>
      <input
        type="search"
        placeholder="ID, contact, text, reason"
        value={typed ?? text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
    </label>
  );
};

interface StateLinkProps {
  readonly filter: RequestFilter;
  readonly state: string | undefined;
  readonly count: number;
}

const StateLink = ({ filter, state, count }: StateLinkProps) => (
  <Link to={{ filter: { ...filter, state } }} isCurrent={filter.state === state}>
    {state ?? 'All'} <span>{formatCount(count)}</span>
  </Link>
);
