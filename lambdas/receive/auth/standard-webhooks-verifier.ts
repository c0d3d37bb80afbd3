import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeSigningSecret, MIN_SIGNING_BYTES } from '../../domain/signing-secret.ts';
import type { Verdict, WebhookVerifier } from '../../ports.ts';
import { createSecretMatcher, InvalidSecretError, mismatch, type SecretMatcherOptions } from './secret-matcher.ts';
import { SourceUnavailableError } from './stale-if-error-cache.ts';

/** How far a request's timestamp may be from the clock: as far as in the specification's own libraries. */
const TOLERANCE_SECONDS = 300;

const unauthenticated = (reason: string): Verdict => ({ kind: 'unauthenticated', reason });

/**
 * Verifies requests signed according to the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`, on
 * the raw bytes, with any active secret.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const createStandardWebhooksVerifier = (secretOptions: SecretMatcherOptions): WebhookVerifier => {
  const matchesAny = createSecretMatcher(secretOptions, parseKey);
  return {
    async verify({ headers, unverifiedBody, receivedAt }) {
      const id = headers['webhook-id'];
      const timestamp = headers['webhook-timestamp'];
      const signatures = parseSignatures(headers['webhook-signature']);
      if (!id || !timestamp) return unauthenticated('no webhook-id or webhook-timestamp');
      if (signatures.length === 0) return unauthenticated('no v1 signature');
      if (!/^\d{1,12}$/.test(timestamp)) return unauthenticated('malformed webhook-timestamp');
      const ageSeconds = Math.abs(Date.parse(receivedAt) / 1000 - Number(timestamp));
      if (ageSeconds > TOLERANCE_SECONDS) return unauthenticated('webhook-timestamp out of tolerance');
      try {
        const match = await matchesAny((key) => {
          const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(unverifiedBody).digest();
          return signatures.some((signature) => timingSafeEqual(signature, expected));
        }, receivedAt);
        return match === 'match' ? { kind: 'authentic', deliveryId: id } : mismatch(match, 'invalid signature');
      } catch (error) {
        if (error instanceof SourceUnavailableError) return { kind: 'unavailable', reason: 'ERR_SECRET_UNAVAILABLE' };
        throw error;
      }
    },
  };
};

const HMAC_BYTES = 32;

/** Returns the header's `v1` signatures. Spaces separate signatures, or commas if several headers were joined. */
const parseSignatures = (header = ''): readonly Buffer[] =>
  [...header.matchAll(/(?<=^|[ ,])v1,([^ ,]+)/g)]
    .map(([, signature = '']) => Buffer.from(signature, 'base64'))
    .filter((signature) => signature.length === HMAC_BYTES);

const parseKey = (line: string): Buffer => {
  const key = decodeSigningSecret(line);
  if (key === undefined) {
    throw new InvalidSecretError(
      "A line of the webhook's secret is not base64. Write each secret as whsec_ followed by base64.",
    );
  }
  if (key.length < MIN_SIGNING_BYTES) {
    throw new InvalidSecretError(
      `A line of the webhook's secret has fewer than ${MIN_SIGNING_BYTES} bytes. Store a longer, random secret.`,
    );
  }
  return key;
};
