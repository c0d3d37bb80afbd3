import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { encodePost, type VerifiedPost } from '../domain/verified-post.ts';
import type { InboundQueue, WriteResult } from '../ports.ts';

export interface SqsInboundQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** What one message may take, the SDK's own repetitions included. */
  readonly budgetMs: number;
}

/** A reason may quote an event's field; the message that holds it must not grow over SQS's limit. */
const MAX_REASON_CHARACTERS = 500;

/**
 * Keeps posts aside. Both queues carry the same form, so that a move from the dead-letter queue back to the inbound
 * queue has the post read again.
 */
export const createSqsInboundQueue = ({
  client,
  queueUrl,
  deadLetterQueueUrl,
  budgetMs,
}: SqsInboundQueueOptions): InboundQueue => {
  const put = async (url: string, post: VerifiedPost, reason?: string): Promise<WriteResult> => {
    try {
      const command = new SendMessageCommand({
        QueueUrl: url,
        MessageBody: encodePost(post, reason),
        MessageAttributes: reason === undefined ? undefined : { reason: { DataType: 'String', StringValue: reason } },
      });
      await client.send(command, { abortSignal: AbortSignal.timeout(budgetMs) });
      return { kind: 'written' };
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return { kind: 'unreachable', reason: `${name}: ${message}` };
    }
  };
  return {
    defer: (post) => put(queueUrl, post),
    quarantine: (post, reason) => put(deadLetterQueueUrl, post, attributeText(reason)),
  };
};

/**
 * SQS refuses characters that XML 1.0 does not have.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const attributeText = (text: string): string =>
  text
    .slice(0, MAX_REASON_CHARACTERS)
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
