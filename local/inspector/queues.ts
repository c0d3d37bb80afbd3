import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { countAllMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import type { Inspector, QueueDepths } from '../../sandbox/base/inspector.ts';

/** The URLs of the queues that the inspector shows. */
export interface QueueUrls {
  readonly sendQueueUrl: string;
  /** Undefined without a bulk queue. */
  readonly bulkSendQueueUrl?: string | undefined;
  readonly bulkSendDeadLetterQueueUrl?: string | undefined;
  readonly sendDeadLetterQueueUrl: string;
  readonly inboundQueueUrl: string;
  readonly inboundDeadLetterQueueUrl: string;
}

/** Creates the inspector's operations on queues. */
export const createQueueOperations = (sqs: SQSClient, urls: QueueUrls): Pick<Inspector, 'enqueue' | 'depths'> => ({
  async enqueue(body, { groupId, id }, queue = 'send') {
    const QueueUrl = queue === 'send' ? urls.sendQueueUrl : urls.bulkSendQueueUrl;
    const message = { MessageBody: body, MessageGroupId: groupId, MessageDeduplicationId: id };
    await sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
  },
  async depths(): Promise<QueueDepths> {
    const depth = (url: string) => countAllMessages(sqs, url);
    const depthIfAny = async (url: string | undefined) => (url === undefined ? undefined : depth(url));
    const [send, sendDeadLetters, inbound, inboundDeadLetters, bulk, bulkDeadLetters] = await Promise.all([
      depth(urls.sendQueueUrl),
      depth(urls.sendDeadLetterQueueUrl),
      depth(urls.inboundQueueUrl),
      depth(urls.inboundDeadLetterQueueUrl),
      depthIfAny(urls.bulkSendQueueUrl),
      depthIfAny(urls.bulkSendDeadLetterQueueUrl),
    ]);
    return { send, sendDeadLetters, inbound, inboundDeadLetters, bulk, bulkDeadLetters };
  },
});
