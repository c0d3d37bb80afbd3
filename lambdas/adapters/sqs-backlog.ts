import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SendBacklog } from '../ports.ts';

/**
 * Counts a queue's messages. Messages that wait for others of their message group count as visible, and so do
 * delayed messages. For a FIFO queue, the numbers are exact once it has not changed for a while.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-resources-required-process-messages.html
 */
export const countMessages = async (client: SQSClient, QueueUrl: string) => {
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: [
      'ApproximateNumberOfMessages',
      'ApproximateNumberOfMessagesDelayed',
      'ApproximateNumberOfMessagesNotVisible',
    ],
  });
  const { Attributes = {} } = await client.send(command);
  return {
    visible:
      Number(Attributes.ApproximateNumberOfMessages ?? 0) + Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
};

export interface SendQueueUrls {
  readonly queue: string;
  readonly bulk?: string | undefined;
}

/** Counts the messages of the send queues, including those in flight. */
export const createSqsSendBacklog = (client: SQSClient, { queue, bulk }: SendQueueUrls): SendBacklog => {
  const count = async (url: string): Promise<number> => {
    const { visible, inFlight } = await countMessages(client, url);
    return visible + inFlight;
  };
  return {
    async read() {
      const [ofQueue, ofBulk] = await Promise.all([count(queue), bulk === undefined ? undefined : count(bulk)]);
      return { queue: ofQueue, ...(ofBulk !== undefined && { bulk: ofBulk }) };
    },
  };
};
