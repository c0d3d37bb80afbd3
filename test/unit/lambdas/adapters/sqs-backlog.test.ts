import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { createSqsSendBacklog } from '../../../../lambdas/adapters/sqs-backlog.ts';
import { contractQueues } from '../../../support/contract-queues.ts';

const queues = contractQueues({ pollSecondMs: 50 });
const createQueue = () => queues.createQueue({ FifoQueue: 'true', ContentBasedDeduplication: 'true' });
const put = async (QueueUrl: string, count: number) => {
  for (let index = 0; index < count; index += 1) {
    const message = { MessageBody: `request ${index}`, MessageGroupId: `contact-${index % 2}` };
    await queues.client.send(new SendMessageCommand({ QueueUrl, ...message }));
  }
};

it('counts the requests of each send queue: those that wait, also behind others of their contact, and those in flight', async () => {
  const [queue, bulk] = [await createQueue(), await createQueue()];
  await put(queue, 3);
  await put(bulk, 7);
  await queues.client.send(new ReceiveMessageCommand({ QueueUrl: bulk, MaxNumberOfMessages: 2 }));

  expect(await createSqsSendBacklog(queues.client, { queue, bulk }).read()).toEqual({ queue: 3, bulk: 7 });
});

it('counts one queue in a stage without a bulk queue', async () => {
  const queue = await createQueue();
  await put(queue, 1);

  expect(await createSqsSendBacklog(queues.client, { bulk: undefined, queue }).read()).toEqual({ queue: 1 });
});
