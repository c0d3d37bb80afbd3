import type { Ms } from '../../domain/duration.ts';
import type { WebhookAuth } from '../../domain/webhook-auth.ts';
import type { Clock, Log, WebhookSecret, WebhookVerifier } from '../../ports.ts';
import { httpGet } from './http-get.ts';
import { createKeySet, createPubsubJwtVerifier } from './pubsub-jwt-verifier.ts';
import { createSharedTokenVerifier } from './shared-token-verifier.ts';
import { createSnsVerifier } from './sns-verifier.ts';
import { createStandardWebhooksVerifier } from './standard-webhooks-verifier.ts';

export interface VerifierContext {
  readonly clock: Clock;
  readonly log: Log;
  /** The time budget for fetching keys or certificates, out of the webhook's two seconds. */
  readonly fetchTimeoutMs: Ms;
  /** Opens the webhook's secret. Called only for the kinds of authentication that use one. */
  readonly openSecret: () => WebhookSecret;
}

/** Creates the verifier for a stage's `webhook.auth`. */
export const createVerifier = (auth: WebhookAuth, context: VerifierContext): WebhookVerifier => {
  const { clock, log, fetchTimeoutMs, openSecret } = context;
  switch (auth.kind) {
    case 'pubsub-jwt':
      return createPubsubJwtVerifier(auth, createKeySet({ url: auth.jwksUrl, clock, fetchTimeoutMs }));
    case 'standard-webhooks':
      return createStandardWebhooksVerifier({ secret: openSecret(), clock, log });
    case 'shared-token':
      return createSharedTokenVerifier(auth, { secret: openSecret(), clock, log });
    case 'sns':
      return createSnsVerifier(auth, { get: httpGet, clock, fetchTimeoutMs });
    case 'insecure-none':
      return { verify: async () => ({ kind: 'authentic' }) };
  }
};
