import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import * as z from '../../domain/schema.ts';
import type { Clock } from '../../ports.ts';

/** The keys cannot be fetched, and none are cached. */
export class KeysUnavailable extends Error {
  readonly code = 'ERR_KEYS_UNAVAILABLE';
}

export interface KeySetOptions {
  readonly url: string;
  readonly clock: Clock;
  /** What one fetch may take: the webhook answers within two seconds. @default 800 */
  readonly fetchTimeoutMs?: number;
}

/** However many forged tokens come, the issuer is asked no more often than this. */
const REFETCH_INTERVAL_MS = 10_000;
const RETRY_INTERVAL_MS = 1_000;
const DEFAULT_MAX_AGE_MS = 5 * 60 * 1000;

const keySet = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())) });

interface CachedKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly freshUntilMs: number;
}

/**
 * An issuer's public keys, cached as its Cache-Control says (RFC 9111, 5.2.2.1), served stale while it is down, and
 * fetched again for a key that is not among them, at a bounded rate.
 *
 * The returned function throws {@link KeysUnavailable}, or jose's `JWKSNoMatchingKey`.
 */
export const createKeySet = ({ url, clock, fetchTimeoutMs = 800 }: KeySetOptions): JWTVerifyGetKey => {
  let cached: CachedKeys | undefined;
  let refetchFromMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;
  const nowMs = () => Date.parse(clock.now());

  const refetch = async (): Promise<void> => {
    if (fetching === undefined && nowMs() < refetchFromMs) return;
    fetching ??= fetchKeys(url, fetchTimeoutMs, nowMs)
      .then(
        (keys) => {
          cached = keys;
          refetchFromMs = nowMs() + REFETCH_INTERVAL_MS;
        },
        // A failed fetch leaves the keys as they were; whether that is enough is judged below.
        () => {
          refetchFromMs = nowMs() + RETRY_INTERVAL_MS;
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    await fetching;
  };

  return async (header, token) => {
    if (cached === undefined || nowMs() >= cached.freshUntilMs) await refetch();
    if (cached === undefined) throw new KeysUnavailable(`The keys at ${url} cannot be fetched.`);
    try {
      return await cached.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refetch();
      return await cached.find(header, token);
    }
  };
};

const fetchKeys = async (url: string, timeoutMs: number, nowMs: () => number): Promise<CachedKeys> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
  if (!response.ok) throw new KeysUnavailable(`The keys at ${url} were answered with HTTP ${response.status}.`);
  const keys: JSONWebKeySet = z.parse(keySet, await response.json());
  return {
    find: createLocalJWKSet(keys),
    freshUntilMs: nowMs() + maxAgeMs(response.headers.get('cache-control')),
  };
};

const maxAgeMs = (cacheControl: string | null): number => {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl ?? '')?.[1];
  return seconds === undefined ? DEFAULT_MAX_AGE_MS : Number(seconds) * 1000;
};
