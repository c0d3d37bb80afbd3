import { SendMessageCommand, type SQSClient, SQSServiceException } from '@aws-sdk/client-sqs';

/** An answer of SQS in its query protocol. */
export interface SqsAnswer {
  readonly status: number;
  readonly body: string;
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Sends a message as API Gateway does with a form in SQS's query protocol.
 *
 * @throws Error if the form is not a call of SendMessage with nothing but a message.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-xml.html
 */
export const callSqs = async (sqs: SQSClient, QueueUrl: string, form: string): Promise<SqsAnswer> => {
  const { Action, Version, MessageBody, ...others } = Object.fromEntries(new URLSearchParams(form));
  if (
    Action !== 'SendMessage' ||
    Version !== '2012-11-05' ||
    MessageBody === undefined ||
    Object.keys(others).length > 0
  ) {
    throw new Error('The mapping template must render a call of SendMessage with a MessageBody, and nothing else.');
  }
  try {
    const { MessageId = '' } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    return {
      status: 200,
      body: `<SendMessageResponse><SendMessageResult><MessageId>${MessageId}</MessageId></SendMessageResult></SendMessageResponse>`,
    };
  } catch (error) {
    if (!(error instanceof SQSServiceException)) throw error;
    const { name, message, $metadata } = error;
    return {
      status: $metadata.httpStatusCode ?? 500,
      body: `<ErrorResponse><Error><Code>${name}</Code><Message>${escapeXml(message)}</Message></Error></ErrorResponse>`,
    };
  }
};
