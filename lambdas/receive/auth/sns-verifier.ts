import { verify as verifySignature } from 'node:crypto';
import type { Verdict, WebhookVerifier } from '../../ports.ts';
import type { httpGet } from './http-get.ts';
import { createSnsCertificates, type SnsCertificatesOptions } from './sns-certificates.ts';
import { isConfirmationAddress, readSnsPost, snsSignedText } from './sns-post.ts';
import type { SnsAuth } from './webhook-auth.ts';

export type SnsVerifierOptions = SnsCertificatesOptions;

const forged = (reason: string): Verdict => ({ kind: 'forged', reason });

/** Signature version 1 and 2. */
const DIGEST = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/**
 * Verifies posts of Amazon SNS for one topic, and confirms the subscription to that topic, and to no other.
 * Source: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
export const createSnsVerifier = ({ topicArn }: SnsAuth, options: SnsVerifierOptions): WebhookVerifier => {
  const keyOf = createSnsCertificates(options);
  return {
    async verify({ unverifiedBody }) {
      const post = readSnsPost(unverifiedBody);
      if (post === undefined) return forged('no post of Amazon SNS');
      if (post.TopicArn !== topicArn) return forged('another topic');
      const found = await keyOf(post.SigningCertURL);
      if (found.kind === 'unavailable') return { kind: 'undecided', reason: 'ERR_CERTIFICATE_UNAVAILABLE' };
      if (found.kind === 'invalid') return forged(found.reason);
      const text = Buffer.from(snsSignedText(post), 'utf8');
      const signature = Buffer.from(post.Signature, 'base64');
      if (!verifySignature(DIGEST[post.SignatureVersion], text, found.publicKey, signature)) return forged('signature');
      return post.Type === 'SubscriptionConfirmation'
        ? confirm(post.SubscribeURL, topicArn, options)
        : { kind: 'authentic' };
    },
  };
};

const confirm = async (
  address: string,
  topicArn: string,
  { get, fetchTimeoutMs }: { readonly get: typeof httpGet; readonly fetchTimeoutMs: number },
): Promise<Verdict> => {
  if (!isConfirmationAddress(address, topicArn)) return forged('another address for the confirmation');
  try {
    await get(address, fetchTimeoutMs);
    return { kind: 'handshake', reason: 'the subscription to the topic is confirmed' };
  } catch {
    return { kind: 'undecided', reason: 'ERR_SUBSCRIPTION_NOT_CONFIRMED' };
  }
};
