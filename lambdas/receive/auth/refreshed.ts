import type { Clock } from '../../ports.ts';

/** What a source gave, and for how long it may be used without asking again. */
export interface Fetched<Value> {
  readonly value: Value;
  readonly freshForMs: number;
}

/** A value from a source elsewhere, kept in memory. Both throw {@link SourceUnavailable} when there is none at all. */
export interface Refreshed<Value> {
  /** The value, fetched again once it is no longer fresh; a stale one while its source is down. */
  current(): Promise<Value>;
  /** The value after `current` did not fit: fetched again, unless that was done a moment ago. */
  afresh(): Promise<Value>;
}

/** What posts are verified with cannot be fetched, and none is cached. */
export class SourceUnavailable extends Error {
  readonly code = 'ERR_SOURCE_UNAVAILABLE';
}

/** However many forged posts come, a source is asked no more often than this. */
const REFETCH_INTERVAL_MS = 10_000;
const RETRY_INTERVAL_MS = 1_000;

/** Keeps what posts are verified with: cached while fresh, served stale while its source is down, refetched at a bounded rate. */
export const createRefreshed = <Value>(fetchValue: () => Promise<Fetched<Value>>, clock: Clock): Refreshed<Value> => {
  let cached: { readonly value: Value; readonly freshUntilMs: number } | undefined;
  let refetchFromMs = Number.NEGATIVE_INFINITY;
  let lastFailure: unknown;
  let fetching: Promise<void> | undefined;
  const nowMs = () => Date.parse(clock.now());

  const refetch = async (): Promise<void> => {
    if (fetching === undefined && nowMs() < refetchFromMs) return;
    fetching ??= fetchValue()
      .then(
        ({ value, freshForMs }) => {
          cached = { value, freshUntilMs: nowMs() + freshForMs };
          refetchFromMs = nowMs() + REFETCH_INTERVAL_MS;
        },
        // A failed fetch leaves the value as it was; whether that is enough is judged below.
        (error) => {
          lastFailure = error;
          refetchFromMs = nowMs() + RETRY_INTERVAL_MS;
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    await fetching;
  };

  const known = (): Value => {
    if (cached === undefined) {
      throw new SourceUnavailable('What posts are verified with cannot be fetched.', { cause: lastFailure });
    }
    return cached.value;
  };

  return {
    async current() {
      if (cached === undefined || nowMs() >= cached.freshUntilMs) await refetch();
      return known();
    },
    async afresh() {
      await refetch();
      return known();
    },
  };
};
