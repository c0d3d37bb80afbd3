import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { countMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import type { Inspector, QueueDepths } from '../../sandbox/inspector.ts';

/** The URLs of the queues that the inspector shows. */
export interface QueueUrls {
  readonly sendQueueUrl: string;
  /** Undefined without a bulk queue. */
  readonly bulkSendQueueUrl?: string | undefined;
  readonly sendDeadLetterQueueUrl: string;
  readonly inboundQueueUrl: string;
  readonly inboundDeadLetterQueueUrl: string;
}

/** Creates the inspector's operations on queues. */
export const createQueueOperations = (
  sqs: SQSClient,
  { sendQueueUrl, bulkSendQueueUrl, sendDeadLetterQueueUrl, inboundQueueUrl, inboundDeadLetterQueueUrl }: QueueUrls,
): Pick<Inspector, 'enqueue' | 'depths'> => ({
  async enqueue(body, { groupId, id }, queue = 'send') {
    const QueueUrl = queue === 'send' ? sendQueueUrl : bulkSendQueueUrl;
    const message = { MessageBody: body, MessageGroupId: groupId, MessageDeduplicationId: id };
    await sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
  },
  async depths(): Promise<QueueDepths> {
    const queues = [sendQueueUrl, sendDeadLetterQueueUrl, inboundQueueUrl, inboundDeadLetterQueueUrl];
    const [send = 0, sendDeadLetters = 0, inbound = 0, inboundDeadLetters = 0] = await Promise.all(
      queues.map(async (url) => {
        const { available, inFlight } = await countMessages(sqs, url);
        return available + inFlight;
      }),
    );
    return { send, sendDeadLetters, inbound, inboundDeadLetters };
  },
});
