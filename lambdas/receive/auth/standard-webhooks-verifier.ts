import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, Verdict, WebhookSecret, WebhookVerifier } from '../../ports.ts';
import { SourceUnavailable } from './refreshed.ts';
import { createSecretMatcher } from './secret-matcher.ts';
import type { StandardWebhooksAuth } from './webhook-auth.ts';

const forged = (reason: string): Verdict => ({ kind: 'forged', reason });

/**
 * Verifies posts signed as the Standard Webhooks specification says: HMAC-SHA256 over `id.timestamp.body`, on the raw
 * bytes, with any of the secrets that count.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const createStandardWebhooksVerifier = (
  { toleranceSeconds }: StandardWebhooksAuth,
  secret: WebhookSecret,
  clock: Clock,
): WebhookVerifier => {
  const anyKey = createSecretMatcher(secret, readKey, clock);
  return {
    async verify({ headers, unverifiedBody }) {
      const id = headers['webhook-id'];
      const timestamp = headers['webhook-timestamp'];
      const signatures = readSignatures(headers['webhook-signature']);
      if (!id || !timestamp) return forged('no webhook-id or webhook-timestamp');
      if (signatures.length === 0) return forged('no v1 signature');
      if (!/^\d{1,12}$/.test(timestamp)) return forged('webhook-timestamp');
      const ageSeconds = Math.abs(Date.parse(clock.now()) / 1000 - Number(timestamp));
      if (ageSeconds > toleranceSeconds) return forged('webhook-timestamp out of tolerance');
      try {
        const matches = await anyKey((key) => {
          const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(unverifiedBody).digest();
          return signatures.some((signature) => timingSafeEqual(signature, expected));
        });
        return matches ? { kind: 'authentic' } : forged('signature');
      } catch (error) {
        if (error instanceof SourceUnavailable) return { kind: 'undecided', reason: 'ERR_SECRET_UNAVAILABLE' };
        throw error;
      }
    },
  };
};

const HMAC_BYTES = 32;

/** The `v1` signatures of a list that may hold several, of other versions too. */
const readSignatures = (header: string | undefined): readonly Buffer[] =>
  (header ?? '')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'))
    .filter((signature) => signature.length === HMAC_BYTES);

const readKey = (line: string): Buffer => {
  const encoded = line.replace(/^whsec_/, '');
  const key = Buffer.from(encoded, 'base64');
  // Node skips what is no base64, and an empty or shortened key would let others sign.
  if (key.length === 0 || key.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')) {
    throw new Error('A line of the webhook’s secret is no base64; write each as whsec_ and base64.');
  }
  return key;
};
