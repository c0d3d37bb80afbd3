import type { CarrierMessage } from './carrier-message.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Where the sandbox serves what SNS serves: its certificate, and the confirmation of a subscription. */
export const SNS_CERTIFICATE_PATH = '/carrier/sns/certificate.pem';
export const SNS_CONFIRM_PATH = '/carrier/sns/confirm';

export type SnsTopic = { topicArn: string; signatureVersion?: '1' | '2' };

/**
 * The body of a post as Amazon SNS makes it.
 *
 * Sources: https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html and, for what is signed,
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
export const snsEnvelope = async (
  message: CarrierMessage,
  { topicArn, signatureVersion = '1' }: SnsTopic,
  keys: SigningKeys,
  origin: string,
): Promise<Record<string, string>> => {
  const { messageId, publishedAt, body, confirmationToken } = message;
  const common = {
    Message: new TextDecoder().decode(body),
    MessageId: messageId,
    Timestamp: publishedAt.toISOString(),
    TopicArn: topicArn,
  };
  const fields: Record<string, string> =
    confirmationToken === undefined
      ? { ...common, Type: 'Notification' }
      : {
          ...common,
          Type: 'SubscriptionConfirmation',
          Token: confirmationToken,
          SubscribeURL: `${origin}${SNS_CONFIRM_PATH}?Token=${confirmationToken}`,
        };
  const hash = signatureVersion === '2' ? 'sha256' : 'sha1';
  return {
    ...fields,
    SignatureVersion: signatureVersion,
    Signature: await keys.signText(hash, textToSign(fields)),
    SigningCertURL: origin + SNS_CERTIFICATE_PATH,
  };
};

/** Name and value of each field, a line each, in the order of their names. */
const textToSign = (fields: Record<string, string>): string =>
  Object.keys(fields)
    .sort()
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('');
