import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SendDeadLetters } from '../ports.ts';
import { reasonAttribute } from './sqs-reason.ts';

/** Puts requests that cannot be sent on the send queue's dead-letter queue, with the reason as an attribute. */
export const createSqsSendDeadLetters = (client: SQSClient, queueUrl: string): SendDeadLetters => ({
  async put({ body, groupId, deduplicationId }, reason) {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: groupId,
        MessageDeduplicationId: deduplicationId,
        MessageAttributes: reasonAttribute(reason),
      }),
    );
  },
});

/** Sets when a message of the queue may be received again; at most 12 hours ahead. */
export const createSetVisibility =
  (client: SQSClient, queueUrl: string) => async (receiptHandle: string, seconds: number) => {
    await client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queueUrl,
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }),
    );
  };
