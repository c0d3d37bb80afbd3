import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, WebhookSecret, WebhookVerifier } from '../../ports.ts';
import { SourceUnavailable } from './refreshed.ts';
import { createSecretMatcher } from './secret-matcher.ts';
import type { SharedTokenAuth } from './webhook-auth.ts';

/** Verifies posts by a token in a header: any of the tokens that count, compared in constant time. */
export const createSharedTokenVerifier = (
  auth: SharedTokenAuth,
  secret: WebhookSecret,
  clock: Clock,
): WebhookVerifier => {
  const header = auth.header.toLowerCase();
  const anyToken = createSecretMatcher(secret, digest, clock);
  return {
    async verify({ headers }) {
      const value = headers[header];
      if (!value) return { kind: 'forged', reason: 'no token' };
      // A token in the standard header comes with its scheme (RFC 6750, 2.1).
      const given = digest(header === 'authorization' ? value.replace(/^Bearer /i, '') : value);
      try {
        return (await anyToken((token) => timingSafeEqual(token, given)))
          ? { kind: 'authentic' }
          : { kind: 'forged', reason: 'another token' };
      } catch (error) {
        if (error instanceof SourceUnavailable) return { kind: 'undecided', reason: 'ERR_SECRET_UNAVAILABLE' };
        throw error;
      }
    },
  };
};

/** Digests are of one length, so that the comparison does not tell the token's. */
const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
