import * as z from './schema.ts';
import { TRACEPARENT } from './trace-context.ts';
import type { Envelope } from './webhook-request.ts';

const GOOGLE_JWKS_URL = 'https://www.googleapis.com/oauth2/v3/certs';

/**
 * Whether events arrive bare, or in Pub/Sub pushes that a proxy between Pub/Sub and the webhook authenticates. @default
 * none
 */
const envelope = z._default(z.enum(['none', 'pubsub']), 'none');

/**
 * `pubsub-jwt`: the bearer token of a Google Cloud Pub/Sub push. A valid signature proves only that the sender is some
 * Google Cloud customer, so the audience and the email address must match too.
 * Source: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
const pubsubJwt = z.strictObject({
  kind: z.literal('pubsub-jwt'),
  audience: z.string().check(z.minLength(1)),
  serviceAccountEmail: z.email(),
  /** @default Google's key set */
  jwksUrl: z._default(z.url(), GOOGLE_JWKS_URL),
});

/**
 * `standard-webhooks`: HMAC-SHA256 over id, timestamp, and body with a secret.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const standardWebhooks = z.strictObject({
  kind: z.literal('standard-webhooks'),
  envelope,
});

/** `shared-token`: a token in a header. */
const sharedToken = z.strictObject({
  kind: z.literal('shared-token'),
  /** The header's name, in upper or lower case. */
  header: z.string().check(z.regex(/^[A-Za-z0-9-]{1,64}$/)),
  envelope,
});

/**
 * `sns`: signed by Amazon SNS, signature version 1 or 2, for one topic.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
const sns = z.strictObject({
  kind: z.literal('sns'),
  topicArn: z.string().check(z.regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/)),
});

/** `insecure-none`: accepts every request. Requires the setting `allowInsecureWebhook`. */
const insecureNone = z.strictObject({ kind: z.literal('insecure-none'), envelope });

/** The kinds that name no topic. */
export const authWithoutTopic = [pubsubJwt, standardWebhooks, sharedToken, insecureNone] as const;

/** How webhook requests are verified: the setting `webhook.auth` of a stage. */
export const webhookAuth = z.discriminatedUnion('kind', [...authWithoutTopic, sns]);

export type WebhookAuth = z.output<typeof webhookAuth>;
export type PubsubJwtAuth = Extract<WebhookAuth, { kind: 'pubsub-jwt' }>;
export type SharedTokenAuth = Extract<WebhookAuth, { kind: 'shared-token' }>;
export type SnsAuth = Extract<WebhookAuth, { kind: 'sns' }>;

/** Returns whether requests of this kind are verified with a secret. If so, the stack creates one. */
export const hasWebhookSecret = ({ kind }: WebhookAuth): boolean =>
  kind === 'standard-webhooks' || kind === 'shared-token';

/** Returns the header that has the token or the signature, if requests of this kind are verified with a secret. */
export const authHeaderOf = (auth: WebhookAuth): string | undefined => {
  switch (auth.kind) {
    case 'shared-token':
      return auth.header.toLowerCase();
    case 'standard-webhooks':
      return 'webhook-signature';
    default:
      return undefined;
  }
};

/** The format of deliveries, which follows from how they are authenticated. */
export interface DeliveryFormat {
  /** Undefined if the body is the event itself. */
  readonly envelope: Envelope | undefined;
  /**
   * Whether to read the metadata of a bare event from Pub/Sub's headers. They are read only if no signature covers the
   * body, because then they are as trustworthy as the body.
   */
  readonly readsPubsubHeaders: boolean;
}

export const deliveryFormat = (auth: WebhookAuth): DeliveryFormat => {
  switch (auth.kind) {
    case 'pubsub-jwt':
      return { envelope: 'pubsub', readsPubsubHeaders: true };
    case 'sns':
      return { envelope: 'sns', readsPubsubHeaders: false };
    case 'standard-webhooks':
      return { envelope: envelopeOf(auth), readsPubsubHeaders: false };
    case 'shared-token':
    case 'insecure-none':
      return { envelope: envelopeOf(auth), readsPubsubHeaders: auth.envelope === 'pubsub' };
  }
};

const envelopeOf = ({ envelope }: Extract<WebhookAuth, { envelope: unknown }>): Envelope | undefined =>
  envelope === 'none' ? undefined : envelope;

/** The headers of Pub/Sub's metadata. Source: https://cloud.google.com/pubsub/docs/payload-unwrapping */
export const PUBSUB_MESSAGE_ID = 'x-goog-pubsub-message-id';
export const PUBSUB_PUBLISH_TIME = 'x-goog-pubsub-publish-time';

/** Returns the names of all headers that `receive` reads, in lower case. */
export const headersOf = (auth: WebhookAuth): readonly string[] => [
  ...new Set([
    ...credentialHeadersOf(auth),
    ...(deliveryFormat(auth).readsPubsubHeaders ? [PUBSUB_MESSAGE_ID, PUBSUB_PUBLISH_TIME] : []),
    TRACEPARENT,
  ]),
];

const credentialHeadersOf = (auth: WebhookAuth): readonly string[] => {
  switch (auth.kind) {
    case 'pubsub-jwt':
      return ['authorization'];
    case 'standard-webhooks':
      return ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    case 'shared-token':
      return [auth.header.toLowerCase()];
    case 'sns':
    case 'insecure-none':
      return [];
  }
};
