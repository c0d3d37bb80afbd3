import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { deadLetterReason, type KeptQueue } from '../domain/dead-letter.ts';
import { toInstant } from '../domain/instant.ts';
import type { DeadLetterSource } from '../ports.ts';

/** Longer than the function's timeout, so that no message is received twice in an invocation. */
const VISIBILITY_TIMEOUT_SECONDS = 90;

/** Reads a dead-letter queue. */
export const createSqsDeadLetterSource = (client: SQSClient, queue: KeptQueue, url: string): DeadLetterSource => ({
  queue,

  async depth() {
    const name = 'ApproximateNumberOfMessages';
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] }));
    return Number(Attributes?.[name] ?? 0);
  },

  async receive() {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: VISIBILITY_TIMEOUT_SECONDS,
        // Long polling asks all SQS servers; short polling can miss messages.
        WaitTimeSeconds: 1,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp', 'MessageGroupId'],
      }),
    );
    return Messages.map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes, MessageAttributes = {} }) => {
      const groupId = Attributes?.MessageGroupId;
      const attributes = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]);
      return {
        id: MessageId,
        queue,
        reason: deadLetterReason(Object.fromEntries(attributes)),
        body: Body,
        ...(groupId !== undefined && { groupId }),
        since: toInstant(new Date(Number(Attributes?.SentTimestamp))),
        receiptHandle: ReceiptHandle,
      };
    });
  },

  async remove({ receiptHandle }) {
    await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receiptHandle }));
  },

  async release(messages) {
    for (let start = 0; start < messages.length; start += 10) {
      const Entries = messages
        .slice(start, start + 10)
        .map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle, VisibilityTimeout: 0 }));
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries }));
    }
  },
});
