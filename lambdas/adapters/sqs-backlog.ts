import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { MessageCounts, SendBacklog } from '../ports.ts';

/**
 * Counts a queue's messages, approximately: those that can be received now or after their delay, and those that a
 * consumer has received and not yet deleted. Messages that are hidden by others of their message group count as
 * available. For a FIFO queue, the numbers are exact once it has not changed for a while.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-resources-required-process-messages.html
 */
export const countMessages = async (client: SQSClient, QueueUrl: string): Promise<MessageCounts> => {
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
    available:
      Number(Attributes.ApproximateNumberOfMessages ?? 0) + Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
};

/** Counts all messages of a queue, including those in flight. */
export const countAllMessages = async (client: SQSClient, url: string): Promise<number> => {
  const { available, inFlight } = await countMessages(client, url);
  return available + inFlight;
};

export interface SendQueueUrls {
  readonly queue: string;
  readonly bulk: string | undefined;
}

/** Counts the messages of the send queues, including those in flight. */
export const createSqsSendBacklog = (client: SQSClient, { queue, bulk }: SendQueueUrls): SendBacklog => ({
  async read() {
    const [ofQueue, ofBulk] = await Promise.all([
      countAllMessages(client, queue),
      bulk === undefined ? undefined : countAllMessages(client, bulk),
    ]);
    return { queue: ofQueue, ...(ofBulk !== undefined && { bulk: ofBulk }) };
  },
});
