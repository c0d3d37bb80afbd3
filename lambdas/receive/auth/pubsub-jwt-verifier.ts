import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock, Verdict, WebhookVerifier } from '../../ports.ts';
import { SourceUnavailable } from './refreshed.ts';
import type { PubsubJwtAuth } from './webhook-auth.ts';

/** How far the carrier's clock and ours may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;

const forged = (reason: string): Verdict => ({ kind: 'forged', reason });

/**
 * Verifies the bearer token of a Pub/Sub push.
 * Source: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
export const createPubsubJwtVerifier = (auth: PubsubJwtAuth, keys: JWTVerifyGetKey, clock: Clock): WebhookVerifier => ({
  async verify({ headers }) {
    const token = /^Bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return forged('no bearer token');
    try {
      const { payload } = await jwtVerify(token, keys, {
        // The algorithm is pinned: a token does not choose how it is checked (RFC 8725, 3.1).
        algorithms: ['RS256'],
        audience: auth.audience,
        issuer: auth.issuers,
        requiredClaims: ['exp', 'iat'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(clock.now()),
      });
      if (payload.email !== auth.serviceAccountEmail) return forged('another service account');
      if (payload.email_verified !== true) return forged('e-mail not verified');
      return { kind: 'authentic' };
    } catch (error) {
      if (error instanceof SourceUnavailable) return { kind: 'undecided', reason: 'ERR_KEYS_UNAVAILABLE' };
      if (error instanceof errors.JWTClaimValidationFailed) return forged(`claim ${error.claim}`);
      if (error instanceof errors.JOSEError) return forged(error.code);
      throw error;
    }
  },
});
