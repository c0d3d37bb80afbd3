import { verify as verifySignature } from 'node:crypto';
import { type Instant, msBetween } from '../../domain/instant.ts';
import * as z from '../../domain/schema.ts';
import type { SnsAuth } from '../../domain/webhook-auth.ts';
import type { Verdict, WebhookVerifier } from '../../ports.ts';
import { createSnsCertificates, type SnsCertificatesOptions } from './sns-certificates.ts';

const unauthenticated = (reason: string): Verdict => ({ kind: 'unauthenticated', reason });

/**
 * After this time, a request on the inbound queue whose certificate cannot be fetched is not authentic, if the signature
 * of another one was verified since it arrived. Otherwise, anyone could make `receive` fetch an address for 14 days.
 */
const HOPELESS_MS = 24 * 60 * 60_000;

/** Signature versions 1 and 2. */
const ALGORITHM = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/**
 * Verifies requests from Amazon SNS for one topic, and confirms subscriptions to that topic only.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
export const createSnsVerifier = ({ topicArn }: SnsAuth, options: SnsCertificatesOptions): WebhookVerifier => {
  const findKey = createSnsCertificates(options);
  const host = snsHost(topicArn);
  let verifiedAt: Instant | undefined;
  /** Whether Amazon SNS would have answered by now if the certificate of a request that waits were its own. */
  const isHopeless = (receivedAt: Instant): boolean =>
    verifiedAt !== undefined && verifiedAt > receivedAt && msBetween(receivedAt, options.clock.now()) >= HOPELESS_MS;
  return {
    async verify({ unverifiedBody, receivedAt }) {
      const message = parseSnsMessage(unverifiedBody);
      if (message === undefined) return unauthenticated('not an Amazon SNS message');
      if (message.TopicArn !== topicArn) return unauthenticated('wrong topic');
      if (!isCertificateUrl(message.SigningCertURL, host)) return unauthenticated('unexpected certificate URL');
      const found = await findKey(message.SigningCertURL, receivedAt);
      if (found.kind === 'unavailable') {
        return isHopeless(receivedAt)
          ? unauthenticated('no such certificate')
          : { kind: 'unavailable', reason: 'ERR_CERTIFICATE_UNAVAILABLE' };
      }
      if (found.kind === 'invalid') return unauthenticated(found.reason);
      const text = Buffer.from(snsStringToSign(message), 'utf8');
      const signature = Buffer.from(message.Signature, 'base64');
      if (!verifySignature(ALGORITHM[message.SignatureVersion], text, found.publicKey, signature)) {
        return unauthenticated('invalid signature');
      }
      verifiedAt = options.clock.now();
      switch (message.Type) {
        case 'Notification':
          return { kind: 'authentic', payload: Buffer.from(JSON.stringify(signedFields(message))) };
        case 'SubscriptionConfirmation':
          return confirmSubscription(message.SubscribeURL, topicArn, options);
        case 'UnsubscribeConfirmation':
          // Its SubscribeURL would subscribe again, which only an operator should decide.
          return { kind: 'unsubscribed', reason: 'the topic no longer delivers events to this webhook' };
      }
    },
  };
};

const confirmSubscription = async (
  url: string,
  topicArn: string,
  { get, fetchTimeoutMs }: Pick<SnsCertificatesOptions, 'get' | 'fetchTimeoutMs'>,
): Promise<Verdict> => {
  if (!isConfirmationUrl(url, topicArn)) return unauthenticated('unexpected URL in the subscription confirmation');
  try {
    await get(url, fetchTimeoutMs);
    return { kind: 'handshake', reason: 'subscription to the topic confirmed' };
  } catch {
    return { kind: 'unavailable', reason: 'ERR_SUBSCRIPTION_NOT_CONFIRMED' };
  }
};

/**
 * Returns the host of Amazon SNS in the topic's region, where AWS customers cannot publish documents.
 * Sources: https://docs.aws.amazon.com/general/latest/gr/sns.html and, for China,
 * https://docs.amazonaws.cn/en_us/aws/latest/userguide/endpoints-arns.html
 */
const snsHost = (topicArn: string): string => {
  const [, partition, , region] = topicArn.split(':');
  return `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
};

/** Compares the URL as a string, because a URL parser would accept other spellings. */
const isCertificateUrl = (url: string, host: string): boolean => {
  const origin = `https://${host}/`;
  return url.startsWith(origin) && /^SimpleNotificationService-[0-9a-f]{1,64}\.pem$/.test(url.slice(origin.length));
};

/** With a line break in a field other than the message, the signed text would be ambiguous. */
const line = () => z.string().check(z.regex(/^[^\n]*$/));

const signed = {
  MessageId: line(),
  TopicArn: line(),
  Message: z.string(),
  Timestamp: line(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
};
const subscription = { ...signed, Token: line(), SubscribeURL: line() };

const snsMessage = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Subject: z.nullish(line()), ...signed }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...subscription }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...subscription }),
]);

/** An Amazon SNS message, parsed but not yet verified. */
export type UnverifiedSnsMessage = z.output<typeof snsMessage>;

/** Parses an Amazon SNS message. Returns undefined for anything else. */
const parseSnsMessage = (unverifiedBody: Buffer): UnverifiedSnsMessage | undefined => {
  const parsed = z.safeParse(snsMessage, z.parseJson(unverifiedBody.toString('utf8')));
  return parsed.success ? parsed.data : undefined;
};

/**
 * Builds the string that Amazon SNS signs: these fields in this order, with each name and each value on its own line.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
export const snsStringToSign = (message: UnverifiedSnsMessage): string =>
  Object.entries(signedFields(message))
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('');

const signedFields = (message: UnverifiedSnsMessage): Readonly<Record<string, string>> => {
  const { Message, MessageId, Timestamp, TopicArn, Type } = message;
  return Type === 'Notification'
    ? {
        Message,
        MessageId,
        ...(typeof message.Subject === 'string' && { Subject: message.Subject }),
        Timestamp,
        TopicArn,
        Type,
      }
    : { Message, MessageId, SubscribeURL: message.SubscribeURL, Timestamp, Token: message.Token, TopicArn, Type };
};

/** Returns whether a GET of this URL confirms a subscription to this topic at Amazon SNS, and does nothing else. */
export const isConfirmationUrl = (address: string, topicArn: string): boolean => {
  const url = URL.parse(address);
  return (
    url !== null &&
    url.protocol === 'https:' &&
    url.host === snsHost(topicArn) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.searchParams.getAll('Action').join() === 'ConfirmSubscription' &&
    url.searchParams.getAll('TopicArn').join() === topicArn
  );
};
