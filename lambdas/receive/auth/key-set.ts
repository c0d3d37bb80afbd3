import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import * as z from '../../domain/schema.ts';
import type { Clock } from '../../ports.ts';
import { httpGet } from './http-get.ts';
import { createRefreshed, type Fetched } from './refreshed.ts';

export interface KeySetOptions {
  readonly url: string;
  readonly clock: Clock;
  /** What one fetch may take: the webhook answers within two seconds. */
  readonly fetchTimeoutMs: number;
}

const DEFAULT_MAX_AGE_MS = 5 * 60 * 1000;

const keySet = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())) });

/**
 * An issuer's public keys, cached as its Cache-Control says (RFC 9111, 5.2.2.1), served stale while it is down, and
 * fetched again for a key that is not among them, at a bounded rate.
 *
 * The returned function throws `SourceUnavailable`, or jose's `JWKSNoMatchingKey`.
 */
export const createKeySet = ({ url, clock, fetchTimeoutMs }: KeySetOptions): JWTVerifyGetKey => {
  const keys = createRefreshed(() => fetchKeys(url, fetchTimeoutMs), clock);
  return async (header, token) => {
    const find = await keys.current();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const findAfresh = await keys.afresh();
      return await findAfresh(header, token);
    }
  };
};

const fetchKeys = async (url: string, timeoutMs: number): Promise<Fetched<ReturnType<typeof createLocalJWKSet>>> => {
  const { text, headers } = await httpGet(url, timeoutMs);
  const keys: JSONWebKeySet = z.parse(keySet, JSON.parse(text));
  return { value: createLocalJWKSet(keys), freshForMs: maxAgeMs(headers.get('cache-control')) };
};

const maxAgeMs = (cacheControl: string | null): number => {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl ?? '')?.[1];
  return seconds === undefined ? DEFAULT_MAX_AGE_MS : Number(seconds) * 1000;
};
