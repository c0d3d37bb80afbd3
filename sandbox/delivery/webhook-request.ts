import { Webhook } from 'standardwebhooks';
import type { PublishedMessage } from './published-message.ts';
import type { SigningKeys } from './signing-keys.ts';
import { snsEnvelope } from './sns-envelope.ts';
import type { WebhookAuth, WebhookSettings } from './subscription.ts';

const SUBSCRIPTION = 'projects/sandbox/subscriptions/chat-events';
const SERVICE_ACCOUNT_ID = '100000000000000000001';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** What signing needs besides the message and the webhook's settings. */
export interface SigningContext {
  readonly keys: SigningKeys;
  readonly now: Date;
  readonly origin: string;
}

/** Builds a webhook request, wrapped and signed according to the settings. */
export const buildWebhookRequest = async (
  message: PublishedMessage,
  webhook: WebhookSettings,
  signing: SigningContext,
): Promise<WebhookRequest> => {
  const { url, auth } = webhook;
  const body = await requestBody(message, webhook, signing);
  const headers = {
    'content-type': auth.kind === 'sns' ? 'text/plain; charset=UTF-8' : 'application/json',
    'content-length': String(body.byteLength),
    ...metadataHeaders(message, webhook),
    ...(await authHeaders(auth, message, body, signing)),
  };
  return { url, headers, body };
};

const requestBody = async (
  message: PublishedMessage,
  { auth, wrapped = true }: WebhookSettings,
  { keys, origin }: SigningContext,
): Promise<Uint8Array> => {
  if (auth.kind === 'sns') {
    // Raw delivery applies to notifications only: a confirmation request always has its envelope.
    if (!wrapped && message.confirmationToken === undefined) return message.body;
    return Buffer.from(JSON.stringify(await snsEnvelope(message, auth, keys, origin)));
  }
  return wrapped ? Buffer.from(JSON.stringify(pubsubEnvelope(message))) : message.body;
};

/** Source: https://cloud.google.com/pubsub/docs/push#receive_push */
const pubsubEnvelope = ({ messageId, publishedAt, body }: PublishedMessage) => {
  const publishTime = publishedAt.toISOString();
  return {
    message: {
      attributes: {},
      data: Buffer.from(body).toString('base64'),
      messageId,
      message_id: messageId,
      publishTime,
      publish_time: publishTime,
    },
    subscription: SUBSCRIPTION,
  };
};

/** Source: https://cloud.google.com/pubsub/docs/payload-unwrapping */
const metadataHeaders = (
  { messageId, publishedAt }: PublishedMessage,
  { wrapped = true, writeMetadata = false }: WebhookSettings,
): Record<string, string> => {
  if (wrapped || !writeMetadata) return {};
  return {
    'x-goog-pubsub-subscription-name': SUBSCRIPTION,
    'x-goog-pubsub-message-id': messageId,
    'x-goog-pubsub-publish-time': publishedAt.toISOString(),
  };
};

const authHeaders = async (
  auth: WebhookAuth,
  message: PublishedMessage,
  body: Uint8Array,
  { keys, now }: SigningContext,
): Promise<Record<string, string>> => {
  switch (auth.kind) {
    case 'pubsub-jwt': {
      // Source: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions#jwt_format
      const claims = {
        iss: auth.issuer ?? 'https://accounts.google.com',
        aud: auth.audience,
        azp: SERVICE_ACCOUNT_ID,
        sub: SERVICE_ACCOUNT_ID,
        email: auth.serviceAccountEmail,
        email_verified: true,
      };
      return { authorization: `Bearer ${await keys.sign(claims, now)}` };
    }
    case 'standard-webhooks': {
      // Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
      const text = new TextDecoder().decode(body);
      return {
        'webhook-id': message.messageId,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': auth.secrets
          .map((secret) => new Webhook(secret).sign(message.messageId, now, text))
          .join(' '),
      };
    }
    case 'shared-token':
      return { [auth.header]: auth.token };
    case 'sns':
      return {
        'x-amz-sns-message-type': message.confirmationToken === undefined ? 'Notification' : 'SubscriptionConfirmation',
        'x-amz-sns-message-id': message.messageId,
        'x-amz-sns-topic-arn': auth.topicArn,
      };
    case 'none':
      return {};
  }
};
