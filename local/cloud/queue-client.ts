import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { stringAttributes } from '../base/string-attributes.ts';

export interface QueuedMessage {
  readonly body: string;
  /** Why the message is a dead letter. Undefined in other queues. */
  readonly reason: string | undefined;
  readonly groupId: string | undefined;
}

/** What an internal system or a developer does with the queues of a local run. */
export interface QueueClient {
  /** Sends a message to a queue, with a message group and a deduplication id if it is a FIFO queue. */
  putMessage(
    queueUrl: string,
    body: string,
    fifo?: { readonly groupId: string; readonly id: string },
    attributes?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Receives and deletes up to ten messages. */
  takeMessages(queueUrl: string): Promise<readonly QueuedMessage[]>;
  /** Returns how many messages a queue holds, including those in flight. */
  queueDepth(queueUrl: string): Promise<number>;
}

export const createQueueClient = (sqs: SQSClient): QueueClient => ({
  async putMessage(queueUrl, body, fifo, attributes = {}) {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageGroupId: fifo?.groupId,
        MessageDeduplicationId: fifo?.id,
        MessageAttributes: stringAttributes(attributes),
      }),
    );
  },
  async takeMessages(queueUrl) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    for (const { ReceiptHandle } of Messages) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
    }
    return Messages.map(({ Body, MessageAttributes, Attributes }) => ({
      body: Body ?? '',
      reason: MessageAttributes?.reason?.StringValue,
      groupId: Attributes?.MessageGroupId,
    }));
  },
  async queueDepth(queueUrl) {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrl,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages) + Number(Attributes?.ApproximateNumberOfMessagesNotVisible);
  },
});
