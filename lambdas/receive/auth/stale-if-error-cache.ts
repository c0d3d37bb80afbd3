import { ParleyError } from '../../domain/errors.ts';
import type { Clock } from '../../ports.ts';

/** A fetched value, and how long it may be used without fetching it again. */
export interface Fetched<Value> {
  readonly value: Value;
  readonly freshForMs: number;
}

/** Both methods throw {@link SourceUnavailableError} when the source is down and nothing is cached. */
export interface StaleIfErrorCache<Value> {
  /** Returns the value, fetched again once it is no longer fresh; a stale one while the source is down. */
  get(): Promise<Value>;
  /** Fetches the value again, unless that happened a moment ago. For callers that `get` gave an outdated value. */
  refresh(): Promise<Value>;
}

/** What webhook requests are verified with cannot be fetched, and none is cached. */
export class SourceUnavailableError extends ParleyError {
  readonly code = 'ERR_SOURCE_UNAVAILABLE';
}

/** However many unauthenticated requests arrive, the source is not asked more often than this. */
const REFETCH_INTERVAL_MS = 10_000;
const RETRY_INTERVAL_MS = 1_000;

/** Creates a cache that serves stale values while the source is down (RFC 5861, 4) and bounds the rate of fetches. */
export const createStaleIfErrorCache = <Value>(
  fetchValue: () => Promise<Fetched<Value>>,
  clock: Clock,
): StaleIfErrorCache<Value> => {
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
        // The cached value stays; `known` decides whether there is one.
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
      throw new SourceUnavailableError('The source is unavailable and nothing is cached.', { cause: lastFailure });
    }
    return cached.value;
  };

  return {
    async get() {
      if (cached === undefined || nowMs() >= cached.freshUntilMs) await refetch();
      return known();
    },
    async refresh() {
      await refetch();
      return known();
    },
  };
};
