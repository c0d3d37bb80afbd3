import type { PublishedMessage } from './published-message.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Where the sandbox serves the signing certificate and the confirmation of a subscription. */
const SNS_CERTIFICATE_PATH = '/carrier/sns/certificate.pem';
const SNS_CONFIRM_PATH = '/carrier/sns/confirm';

export interface SnsTopic {
  readonly topicArn: string;
  readonly signatureVersion?: '1' | '2';
}

/**
 * Returns the body of a webhook request in the format of Amazon SNS.
 *
 * Sources: https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html and, for the signature,
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
export const snsEnvelope = async (
  message: PublishedMessage,
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

/** Each field's name and value, each on its own line, sorted by name. */
const textToSign = (fields: Record<string, string>): string =>
  Object.keys(fields)
    .sort()
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('');
