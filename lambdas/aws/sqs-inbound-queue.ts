import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { encodePost, type VerifiedPost } from '../domain/verified-post.ts';
import type { InboundQueue, WriteResult } from '../ports.ts';
import { reasonAttribute, reasonText } from './sqs-reason.ts';
import { withinBudget } from './within-budget.ts';

export interface SqsInboundQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** What one message may take, the SDK's own repetitions included. */
  readonly budgetMs: number;
}

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
        MessageAttributes: reason === undefined ? undefined : reasonAttribute(reason),
      });
      await withinBudget(budgetMs, (abortSignal) => client.send(command, { abortSignal }));
      return { kind: 'written' };
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      return { kind: 'unreachable', reason: `${name}: ${message}` };
    }
  };
  return {
    defer: (post) => put(queueUrl, post),
    quarantine: (post, reason) => put(deadLetterQueueUrl, post, reasonText(reason)),
  };
};
