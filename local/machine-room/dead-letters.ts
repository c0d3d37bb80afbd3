import { randomUUID } from 'node:crypto';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { DeadLetter } from '../../sandbox/machine-room/machine-room.ts';

/** The most that SQS gives at once. */
const BATCH = 10;

/** What stands in a queue, left where it is: SQS shows a message only by receiving it, here with no time hidden. */
export const peek = async (sqs: SQSClient, queueUrl: string): Promise<readonly DeadLetter[]> => {
  const messages = await receive(sqs, queueUrl, 0);
  return messages.map(({ MessageId = '', Body = '', Attributes, MessageAttributes }) => ({
    id: MessageId,
    body: Body,
    reason: MessageAttributes?.reason?.StringValue,
    groupId: Attributes?.MessageGroupId,
    receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 0),
  }));
};

/**
 * Moves what stands in a dead-letter queue to another queue. SQS does it by StartMessageMoveTask, which the emulator
 * does not know; a message is put on the other queue first, so that one may come twice but none is lost.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export const redrive = async (sqs: SQSClient, from: string, to: string): Promise<number> => {
  let moved = 0;
  // What comes back at once, because it is as wrong as before, is left for the next redrive.
  for (let left = await queueDepth(sqs, from); left > 0; ) {
    const messages = await receive(sqs, from, 60);
    if (messages.length === 0) return moved;
    for (const message of messages) {
      await sqs.send(new SendMessageCommand(asNew(message, to)));
      await sqs.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: message.ReceiptHandle }));
    }
    moved += messages.length;
    left -= messages.length;
  }
  return moved;
};

/** How many messages a queue holds, those in flight included. */
export const queueDepth = async (sqs: SQSClient, QueueUrl: string): Promise<number> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages) + Number(Attributes?.ApproximateNumberOfMessagesNotVisible);
};

const receive = async (sqs: SQSClient, QueueUrl: string, VisibilityTimeout: number): Promise<readonly Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      VisibilityTimeout,
      MaxNumberOfMessages: BATCH,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages;
};

const asNew = ({ Body, MessageAttributes = {}, Attributes }: Message, QueueUrl: string) => {
  const { reason: _ofLastTime, ...rest } = MessageAttributes;
  const groupId = Attributes?.MessageGroupId;
  return {
    QueueUrl,
    MessageBody: Body,
    MessageAttributes: rest,
    // A FIFO queue swallows an id that it saw within five minutes, and the one of the first time may be that young.
    ...(groupId !== undefined && { MessageGroupId: groupId, MessageDeduplicationId: randomUUID() }),
  };
};
