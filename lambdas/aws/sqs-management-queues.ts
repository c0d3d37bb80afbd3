import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ErasureQueue, SendQueue } from '../ports.ts';

/** Puts requests on the send queue, in order per group. */
export const createSqsSendQueue = (client: SQSClient, queueUrl: string): SendQueue => ({
  async put({ body, groupId, deduplicationId }) {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
      }),
    );
  },
});

/** Puts erasures on their queue. */
export const createSqsErasureQueue = (client: SQSClient, queueUrl: string): ErasureQueue => ({
  async put(erasure) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(erasure) }));
  },
});
