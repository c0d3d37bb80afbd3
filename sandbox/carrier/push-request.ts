import type { CarrierMessage } from './carrier-message.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { WebhookSettings } from './webhook-settings.ts';

const SUBSCRIPTION = 'projects/sandbox/subscriptions/chat-events';
const SERVICE_ACCOUNT_ID = '100000000000000000001';

export type PushRequest = { url: string; headers: Record<string, string>; body: Uint8Array };

/**
 * One push as Google Cloud Pub/Sub makes it: the envelope, and a bearer token with its claims.
 * Sources: https://cloud.google.com/pubsub/docs/push#receive_push and
 * https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions#jwt_format
 */
export const pushRequest = async (
  message: CarrierMessage,
  { url, auth, wrapped = true }: WebhookSettings,
  keys: SigningKeys,
  now: Date,
): Promise<PushRequest> => {
  const claims = {
    iss: auth.issuer ?? 'https://accounts.google.com',
    aud: auth.audience,
    azp: SERVICE_ACCOUNT_ID,
    sub: SERVICE_ACCOUNT_ID,
    email: auth.serviceAccountEmail,
    email_verified: true,
  };
  const body = wrapped ? Buffer.from(JSON.stringify(envelope(message))) : message.body;
  const headers = {
    authorization: `Bearer ${await keys.sign(claims, now)}`,
    'content-type': 'application/json',
    'content-length': String(body.byteLength),
  };
  return { url, headers, body };
};

const envelope = ({ messageId, publishedAt, body }: CarrierMessage) => {
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
