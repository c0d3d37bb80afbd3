import { createHash, timingSafeEqual } from 'node:crypto';
import type { SharedTokenAuth } from '../../domain/webhook-auth.ts';
import type { WebhookVerifier } from '../../ports.ts';
import { createSecretMatcher, InvalidSecretError, mismatch, type SecretMatcherOptions } from './secret-matcher.ts';
import { SourceUnavailableError } from './stale-if-error-cache.ts';

/** Verifies requests by the token in a header, which it compares with every active token in constant time. */
export const createSharedTokenVerifier = (
  auth: SharedTokenAuth,
  secretOptions: SecretMatcherOptions,
): WebhookVerifier => {
  const header = auth.header.toLowerCase();
  const matchesAny = createSecretMatcher(secretOptions, digestOfToken);
  return {
    async verify({ headers, receivedAt }) {
      const value = headers[header];
      if (!value) return { kind: 'unauthenticated', reason: 'no token' };
      // In the Authorization header, a scheme precedes the token (RFC 6750, 2.1).
      const given = digest(header === 'authorization' ? value.replace(/^Bearer /i, '') : value);
      try {
        const match = await matchesAny((token) => timingSafeEqual(token, given), receivedAt);
        return match === 'match' ? { kind: 'authentic' } : mismatch(match, 'wrong token');
      } catch (error) {
        if (error instanceof SourceUnavailableError) return { kind: 'unavailable', reason: 'ERR_SECRET_UNAVAILABLE' };
        throw error;
      }
    },
  };
};

/**
 * 16 random characters, even hexadecimal digits, have 64 bits of entropy, too many to guess over a network.
 * Source: https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html
 */
const MIN_TOKEN_CHARACTERS = 16;

const digestOfToken = (line: string): Buffer => {
  if (line.length < MIN_TOKEN_CHARACTERS) {
    throw new InvalidSecretError(
      `A token in the webhook's secret is shorter than ${MIN_TOKEN_CHARACTERS} characters. Store a longer, random one.`,
    );
  }
  return digest(line);
};

/** Digests have equal lengths, so the comparison does not reveal the length of the token. */
const digest = (token: string): Buffer => createHash('sha256').update(token).digest();
