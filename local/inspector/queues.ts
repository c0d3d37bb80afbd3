import { ReceiveMessageCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { queueDepth } from '../../cli/operations/dead-letter-queue.ts';
import { redrive } from '../../cli/operations/redrive.ts';
import { redriveThroughApi } from '../../cli/operations/redrive-through-api.ts';
import type { DeadLetter, Inspector, QueueDepths } from '../../sandbox/inspector.ts';
import { createLocalManagementClient } from './management-client.ts';

/** The URLs of the queues that the inspector shows. */
export interface QueueUrls {
  readonly sendQueueUrl: string;
  readonly sendDeadLetterQueueUrl: string;
  readonly inboundQueueUrl: string;
  readonly inboundDeadLetterQueueUrl: string;
  /** The management API, which redrives events. */
  readonly managementUrl: string;
}

/** The maximum number of messages per receive. */
const BATCH_SIZE = 10;

/** Creates the inspector's operations on queues. */
export const createQueueOperations = (
  sqs: SQSClient,
  urls: QueueUrls,
): Pick<Inspector, 'enqueue' | 'depths' | 'deadLetters' | 'redrive'> => {
  const { sendQueueUrl, sendDeadLetterQueueUrl, inboundQueueUrl, inboundDeadLetterQueueUrl } = urls;
  const deadLetterQueues = {
    send: { sqs, url: sendDeadLetterQueueUrl, destinationUrl: sendQueueUrl },
    inbound: { sqs, url: inboundDeadLetterQueueUrl, destinationUrl: inboundQueueUrl },
  };
  const api = createLocalManagementClient(urls.managementUrl);
  return {
    async enqueue(body, { groupId, id }) {
      const message = { MessageBody: body, MessageGroupId: groupId, MessageDeduplicationId: id };
      await sqs.send(new SendMessageCommand({ QueueUrl: sendQueueUrl, ...message }));
    },
    async depths(): Promise<QueueDepths> {
      const queues = [sendQueueUrl, sendDeadLetterQueueUrl, inboundQueueUrl, inboundDeadLetterQueueUrl];
      const [send = 0, sendDeadLetters = 0, inbound = 0, inboundDeadLetters = 0] = await Promise.all(
        queues.map(async (url) => {
          const { available, inFlight } = await queueDepth(sqs, url);
          return available + inFlight;
        }),
      );
      return { send, sendDeadLetters, inbound, inboundDeadLetters };
    },
    deadLetters: (queue) => peek(sqs, deadLetterQueues[queue].url),
    async redrive(queue) {
      const { moved } =
        queue === 'inbound'
          ? await redriveThroughApi(api, 'inbound', { filter: {} })
          : await redrive(deadLetterQueues[queue], { filter: {} });
      return moved;
    },
  };
};

/** Returns messages without removing them, by receiving them with a visibility timeout of zero. */
const peek = async (sqs: SQSClient, queueUrl: string): Promise<readonly DeadLetter[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      VisibilityTimeout: 0,
      MaxNumberOfMessages: BATCH_SIZE,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages.map(({ MessageId = '', Body = '', Attributes, MessageAttributes }) => ({
    id: MessageId,
    body: Body,
    reason: MessageAttributes?.reason?.StringValue,
    groupId: Attributes?.MessageGroupId,
    receiveCount: Number(Attributes?.ApproximateReceiveCount ?? 0),
  }));
};
