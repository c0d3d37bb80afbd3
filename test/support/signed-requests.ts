import { createHmac, type KeyObject, sign } from 'node:crypto';
import { NOW } from './builders.ts';

/** A webhook request as a verifier sees it. Each builder makes one that is valid by default. */
export interface SignedRequest {
  readonly headers: Record<string, string | undefined>;
  readonly unverifiedBody: Buffer;
}

export const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Signs as the specification says, independently of the code under test. */
export const standardWebhooksRequest = (
  body: string | Buffer,
  { secret = STANDARD_SECRET, at = NOW, id = 'msg_1' } = {},
): SignedRequest => {
  const timestamp = String(Math.floor(Date.parse(at) / 1000));
  const unverifiedBody = Buffer.from(body);
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), unverifiedBody]);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
    unverifiedBody,
  };
};

export const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:chat-events';
export const CERTIFICATE_URL = `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem`;

export const snsNotification = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: TOPIC,
  Message: '{"_id_":"message-1"}',
  Timestamp: '2026-11-20T11:59:00.000Z',
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE_URL,
  UnsubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe',
  ...changes,
});

export const snsConfirmation = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...snsNotification(),
  Type: 'SubscriptionConfirmation',
  Message: 'You have chosen to subscribe to the topic.',
  Token: 'a-token',
  SubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=a-token`,
  ...changes,
});

const FIELDS = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

/** Signs as the documentation says: the fields that are present, sorted, name and value on a line each. */
export const signSns = (message: Record<string, unknown>, key: KeyObject): Record<string, unknown> => {
  const present = FIELDS.filter((field) => typeof message[field] === 'string');
  const text = present.map((field) => `${field}\n${message[field]}\n`).join('');
  const algorithm = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return { Signature: sign(algorithm, Buffer.from(text), key).toString('base64'), ...message };
};

export const snsRequest = (message: Record<string, unknown>): SignedRequest => ({
  headers: { 'content-type': 'text/plain; charset=UTF-8' },
  unverifiedBody: Buffer.from(JSON.stringify(message)),
});

/** A webhook secret that a test can change or make unavailable; it counts how often it is read. */
export const changingSecret = (text: string) => ({
  text,
  reads: 0,
  isUnavailable: false,
  async read() {
    this.reads += 1;
    if (this.isUnavailable) throw new Error('Secrets Manager is unavailable.');
    return this.text;
  },
});
