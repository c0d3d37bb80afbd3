import * as z from '../../domain/schema.ts';

const GOOGLE_JWKS_URL = 'https://www.googleapis.com/oauth2/v3/certs';
const GOOGLE_ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

/**
 * `pubsub-jwt`: a bearer token as Google Cloud Pub/Sub signs its pushes.
 * A valid signature alone proves only "some customer of that cloud", hence audience and e-mail.
 * Source: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
const pubsubJwt = z.strictObject({
  kind: z.literal('pubsub-jwt'),
  audience: z.string().check(z.minLength(1)),
  serviceAccountEmail: z.email(),
  /** @default Google's two spellings */
  issuers: z._default(z.array(z.string()).check(z.minLength(1)), GOOGLE_ISSUERS),
  /** @default Google's key set */
  jwksUrl: z._default(z.url(), GOOGLE_JWKS_URL),
});

/** How the webhook's posts are verified; the `webhook.auth` of a stage's settings. */
export const webhookAuth = z.discriminatedUnion('kind', [pubsubJwt]);

export type WebhookAuth = z.output<typeof webhookAuth>;
export type PubsubJwtAuth = Extract<WebhookAuth, { kind: 'pubsub-jwt' }>;
