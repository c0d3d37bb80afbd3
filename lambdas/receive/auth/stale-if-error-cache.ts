import { ParleyError } from '../../domain/errors.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Clock } from '../../ports.ts';

/** A fetched value, and how long it stays fresh. */
export interface Fetched<Value> {
  readonly value: Value;
  readonly freshForMs: number;
}

/** Both methods throw {@link SourceUnavailableError} if the source is unavailable and nothing is cached. */
export interface StaleIfErrorCache<Value> {
  /**
   * Returns the value. Fetches it if it is not fresh. If that fails, returns a value that has been stale for less than
   * a day.
   */
  get(): Promise<Value>;
  /** Fetches the value again, unless it was just fetched. For callers that found the value from `get` outdated. */
  refresh(): Promise<Value>;
  /** Whether the fetch of the current value started at `instant` or later. */
  isNewerThan(instant: Instant): boolean;
}

/** The keys or secret for verification cannot be fetched, and the cached value is too old. */
export class SourceUnavailableError extends ParleyError {
  readonly code = 'ERR_SOURCE_UNAVAILABLE';
}

const HOUR_MS = 60 * 60 * 1000;
/**
 * The longest time for which a value is fresh, even if its source allows more, so that a revoked key is not accepted
 * for long. Google's key set is fresh for hours.
 */
const MAX_FRESH_MS = 24 * HOUR_MS;
/**
 * How long a stale value is served while the source is unavailable. After that, requests are answered with 503 and
 * redelivered, because the publish/subscribe system keeps events for seven days.
 */
const MAX_STALE_MS = 24 * HOUR_MS;

/** The minimum time between fetches, so that unauthenticated requests cannot cause a flood of them. */
export const REFETCH_INTERVAL_MS = 10_000;
const RETRY_INTERVAL_MS = 1_000;

/**
 * Creates a cache that serves stale values for a day if the source is unavailable (RFC 5861, 4) and limits the fetch rate.
 */
export const createStaleIfErrorCache = <Value>(
  fetchValue: () => Promise<Fetched<Value>>,
  clock: Clock,
): StaleIfErrorCache<Value> => {
  let cached: { readonly value: Value; readonly freshUntilMs: number; readonly fetchedAt: Instant } | undefined;
  let refetchFromMs = Number.NEGATIVE_INFINITY;
  let lastFailure: unknown;
  let fetching: Promise<void> | undefined;
  const nowMs = () => Date.parse(clock.now());

  const refetch = async (): Promise<void> => {
    if (fetching === undefined && nowMs() < refetchFromMs) return;
    const fetchedAt = clock.now();
    fetching ??= fetchValue()
      .then(
        ({ value, freshForMs }) => {
          cached = { value, freshUntilMs: nowMs() + Math.min(freshForMs, MAX_FRESH_MS), fetchedAt };
          refetchFromMs = nowMs() + REFETCH_INTERVAL_MS;
        },
        // Keeps the cached value; `known` throws if there is none, or if it is too old.
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
    if (cached === undefined || nowMs() >= cached.freshUntilMs + MAX_STALE_MS) {
      throw new SourceUnavailableError('The source is unavailable and nothing usable is cached.', {
        cause: lastFailure,
      });
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
    isNewerThan: (instant) => cached !== undefined && cached.fetchedAt >= instant,
  };
};
