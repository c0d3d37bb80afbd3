import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Ms } from '../../domain/duration.ts';
import type { Instant } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import type { PubsubJwtAuth } from '../../domain/webhook-auth.ts';
import type { Clock, Verdict, WebhookVerifier } from '../../ports.ts';
import { httpGet } from './http-get.ts';
import { createStaleIfErrorCache, type Fetched, SourceUnavailableError } from './stale-if-error-cache.ts';

/** The two forms of Google's issuer. */
const GOOGLE_ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

/** Allowed clock skew between Google and this function, for the time of issue and the expiry. */
const CLOCK_TOLERANCE_SECONDS = 30;

const unauthenticated = (reason: string): Extract<Verdict, { kind: 'unauthenticated' }> => ({
  kind: 'unauthenticated',
  reason,
});

/**
 * The longest time for which a verified token is accepted without verifying it again, and the time for which Pub/Sub's
 * tokens are valid. A key that is revoked meanwhile is accepted for that long.
 */
const MAX_REMEMBERED_MS = 60 * 60 * 1000;

/** Pub/Sub uses one token for many pushes, and a few at a time. */
const MAX_REMEMBERED_TOKENS = 10;

/**
 * Verifies the bearer token of a Pub/Sub push. Remembers verified tokens until they expire, because most of the processor
 * time of a verification is the signature's.
 *
 * Source: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
export const createPubsubJwtVerifier = (auth: PubsubJwtAuth, keys: KeySet): WebhookVerifier => {
  const accepted = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  const remember = (token: string, { iat = 0, exp = 0 }: JWTPayload, receivedAt: Instant): void => {
    const fromMs = (iat - CLOCK_TOLERANCE_SECONDS) * 1000;
    const expiresAtMs = (exp + CLOCK_TOLERANCE_SECONDS) * 1000;
    accepted.set(token, { fromMs, untilMs: Math.min(expiresAtMs, Date.parse(receivedAt) + MAX_REMEMBERED_MS) });
    const [oldest] = accepted.keys();
    if (accepted.size > MAX_REMEMBERED_TOKENS && oldest !== undefined) accepted.delete(oldest);
  };
  const isRemembered = (token: string, receivedAt: Instant): boolean => {
    const times = accepted.get(token);
    const atMs = Date.parse(receivedAt);
    return times !== undefined && times.fromMs <= atMs && atMs < times.untilMs;
  };

  return {
    async verify({ headers, receivedAt }) {
      const token = /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
      if (token === undefined) return unauthenticated('no bearer token');
      if (isRemembered(token, receivedAt)) return { kind: 'authentic' };
      accepted.delete(token);
      try {
        const { payload } = await jwtVerify(token, keys.find, {
          // Pinned, so that the token cannot choose the algorithm (RFC 8725, 3.1).
          algorithms: ['RS256'],
          audience: auth.audience,
          issuer: GOOGLE_ISSUERS,
          requiredClaims: ['exp', 'iat'],
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          currentDate: new Date(receivedAt),
        });
        // Without a maximum age, jose does not compare `iat` with the current time.
        if (isInFuture(payload.iat, receivedAt)) return unauthenticated('claim iat');
        if (payload.email !== auth.serviceAccountEmail) return unauthenticated('wrong service account');
        if (payload.email_verified !== true) return unauthenticated('email not verified');
        remember(token, payload, receivedAt);
        return { kind: 'authentic' };
      } catch (error) {
        if (error instanceof SourceUnavailableError) return { kind: 'unavailable', reason: 'ERR_KEYS_UNAVAILABLE' };
        if (error instanceof errors.JWKSNoMatchingKey && !keys.isNewerThan(receivedAt)) {
          return { ...unauthenticated(error.code), isProvisional: true };
        }
        if (error instanceof errors.JWTClaimValidationFailed) return unauthenticated(`claim ${error.claim}`);
        if (error instanceof errors.JOSEError) return unauthenticated(error.code);
        throw error;
      }
    },
  };
};

/** OpenID Connect Core 1.0, 2: `iat` is the time at which the token was issued, in seconds since the epoch. */
const isInFuture = (iat: number | undefined, receivedAt: Instant): boolean =>
  iat === undefined || iat > Date.parse(receivedAt) / 1000 + CLOCK_TOLERANCE_SECONDS;

export interface KeySetOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly fetchTimeoutMs: Ms;
}

const DEFAULT_MAX_AGE_MS = 5 * 60 * 1000;

const keySet = z.looseObject({ keys: z.array(z.record(z.string(), z.unknown())) });

/** An issuer's public keys. */
export interface KeySet {
  /** Throws `SourceUnavailableError`, or jose's `JWKSNoMatchingKey`. */
  readonly find: JWTVerifyGetKey;
  /** Whether the fetch of the keys started at `instant` or later. */
  readonly isNewerThan: (instant: Instant) => boolean;
}

/**
 * Creates a lookup of an issuer's public keys. It caches the keys as Cache-Control specifies (RFC 9111, 5.2.2.1),
 * serves stale keys while the issuer is down, and fetches them again for an unknown key, at a bounded rate.
 */
export const createKeySet = ({ url, clock, fetchTimeoutMs }: KeySetOptions): KeySet => {
  const keys = createStaleIfErrorCache(() => fetchKeys(url, fetchTimeoutMs), clock);
  const find: JWTVerifyGetKey = async (header, token) => {
    const findKey = await keys.get();
    try {
      return await findKey(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const findRefreshedKey = await keys.refresh();
      return await findRefreshedKey(header, token);
    }
  };
  return { find, isNewerThan: keys.isNewerThan };
};

const fetchKeys = async (url: string, timeoutMs: number): Promise<Fetched<ReturnType<typeof createLocalJWKSet>>> => {
  const { text, headers } = await httpGet(url, timeoutMs);
  const keys: JSONWebKeySet = z.parse(keySet, JSON.parse(text));
  return { value: createLocalJWKSet(keys), freshForMs: maxAgeMs(headers['cache-control']) };
};

const maxAgeMs = (cacheControl = ''): number => {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  return seconds === undefined ? DEFAULT_MAX_AGE_MS : Number(seconds) * 1000;
};
