import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
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
