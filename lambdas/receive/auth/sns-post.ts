import { parseJson } from '../../domain/parse-json.ts';
import * as z from '../../domain/schema.ts';

/** The hosts of the service itself; nothing that a customer of AWS can put a document on. */
const SNS_HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;
const CERTIFICATE = /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/SimpleNotificationService-[0-9a-f]+\.pem$/;

const signed = {
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string().check(z.regex(CERTIFICATE)),
};
const aboutSubscription = { ...signed, Token: z.string(), SubscribeURL: z.string() };

const snsPost = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Subject: z.nullish(z.string()), ...signed }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...aboutSubscription }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...aboutSubscription }),
]);

/** A post of Amazon SNS, read but not yet verified. */
export type UnverifiedSnsPost = z.output<typeof snsPost>;

/** Reads a post of Amazon SNS; undefined for anything else, one whose certificate is not the service's own included. */
export const readSnsPost = (unverifiedBody: Buffer): UnverifiedSnsPost | undefined => {
  const read = z.safeParse(snsPost, parseJson(unverifiedBody.toString('utf8')));
  return read.success ? read.data : undefined;
};

/**
 * The text that Amazon SNS signs: these fields in this order, each with its name, a line each.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
export const snsSignedText = (post: UnverifiedSnsPost): string => {
  const { Message, MessageId, Timestamp, TopicArn, Type } = post;
  const fields =
    Type === 'Notification'
      ? {
          Message,
          MessageId,
          ...(typeof post.Subject === 'string' && { Subject: post.Subject }),
          Timestamp,
          TopicArn,
          Type,
        }
      : { Message, MessageId, SubscribeURL: post.SubscribeURL, Timestamp, Token: post.Token, TopicArn, Type };
  return Object.entries(fields)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('');
};

/** Whether visiting this address confirms a subscription to this topic, at the service itself, and does nothing else. */
export const isConfirmationAddress = (address: string, topicArn: string): boolean => {
  const url = URL.parse(address);
  return (
    url !== null &&
    url.protocol === 'https:' &&
    SNS_HOST.test(url.host) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.searchParams.getAll('Action').join() === 'ConfirmSubscription' &&
    url.searchParams.getAll('TopicArn').join() === topicArn
  );
};
