import type { Clock, WebhookSecret, WebhookVerifier } from '../../ports.ts';
import { httpGet } from './http-get.ts';
import { createKeySet } from './key-set.ts';
import { createPubsubJwtVerifier } from './pubsub-jwt-verifier.ts';
import { createSharedTokenVerifier } from './shared-token-verifier.ts';
import { createSnsVerifier } from './sns-verifier.ts';
import { createStandardWebhooksVerifier } from './standard-webhooks-verifier.ts';
import type { WebhookAuth } from './webhook-auth.ts';

export interface VerifierSurroundings {
  readonly clock: Clock;
  /** What fetching keys or certificates may take of the webhook's two seconds. */
  readonly fetchTimeoutMs: number;
  /** Opens the webhook's secret; called only for the kinds that have one. */
  readonly openSecret: () => WebhookSecret;
}

/** The verifier of a stage's `webhook.auth`. */
export const createVerifier = (
  auth: WebhookAuth,
  { clock, fetchTimeoutMs, openSecret }: VerifierSurroundings,
): WebhookVerifier => {
  switch (auth.kind) {
    case 'pubsub-jwt':
      return createPubsubJwtVerifier(auth, createKeySet({ url: auth.jwksUrl, clock, fetchTimeoutMs }), clock);
    case 'standard-webhooks':
      return createStandardWebhooksVerifier(auth, openSecret(), clock);
    case 'shared-token':
      return createSharedTokenVerifier(auth, openSecret(), clock);
    case 'sns':
      return createSnsVerifier(auth, { get: httpGet, clock, fetchTimeoutMs });
    case 'insecure-none':
      return { verify: async () => ({ kind: 'authentic' }) };
  }
};
