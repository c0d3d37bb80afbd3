import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, WebhookSecret, WebhookVerifier } from '../../ports.ts';
import { createSecretMatcher } from './secret-matcher.ts';
import { SourceUnavailableError } from './stale-if-error-cache.ts';
import type { SharedTokenAuth } from './webhook-auth.ts';

/** Verifies requests by the token in a header, which it compares with every active token in constant time. */
export const createSharedTokenVerifier = (
  auth: SharedTokenAuth,
  secret: WebhookSecret,
  clock: Clock,
): WebhookVerifier => {
  const header = auth.header.toLowerCase();
  const matchesAny = createSecretMatcher(secret, digest, clock);
  return {
    async verify({ headers }) {
      const value = headers[header];
      if (!value) return { kind: 'unauthenticated', reason: 'no token' };
      // In the Authorization header, a scheme precedes the token (RFC 6750, 2.1).
      const given = digest(header === 'authorization' ? value.replace(/^Bearer /i, '') : value);
      try {
        return (await matchesAny((token) => timingSafeEqual(token, given)))
          ? { kind: 'authentic' }
          : { kind: 'unauthenticated', reason: 'wrong token' };
      } catch (error) {
        if (error instanceof SourceUnavailableError) return { kind: 'unavailable', reason: 'ERR_SECRET_UNAVAILABLE' };
        throw error;
      }
    },
  };
};

/** Digests have equal lengths, so the comparison does not reveal the length of the token. */
const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
