import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { createQueueOperations } from '../../../../local/inspector/queues.ts';

it('puts requests on the send queue and counts the messages of each queue', async () => {
  const emulator = await startSqs({ clock: createMovableClock(), pollSecondMs: 50 });
  onTestFinished(() => emulator.close());
  const sqs = new SQSClient({ region: REGION, credentials: CREDENTIALS, endpoint: emulator.url });
  onTestFinished(() => sqs.destroy());
  const names = ['send.fifo', 'send-dead.fifo', 'inbound', 'inbound-dead', 'bulk.fifo', 'bulk-dead.fifo'];
  for (const QueueName of names) {
    const Attributes = QueueName.endsWith('fifo') ? { FifoQueue: 'true' } : {};
    await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  }
  const urlOf = (name: string) => `${emulator.url}/000000000000/${name}`;
  const urls = {
    sendQueueUrl: urlOf('send.fifo'),
    bulkSendQueueUrl: urlOf('bulk.fifo'),
    bulkSendDeadLetterQueueUrl: urlOf('bulk-dead.fifo'),
    sendDeadLetterQueueUrl: urlOf('send-dead.fifo'),
    inboundQueueUrl: urlOf('inbound'),
    inboundDeadLetterQueueUrl: urlOf('inbound-dead'),
  };
  const operations = createQueueOperations(sqs, urls);

  await operations.enqueue('{', { groupId: 'a', id: '1' });
  await operations.enqueue('{', { groupId: 'a', id: '2' });
  await operations.enqueue('{', { groupId: 'a', id: '3' }, 'bulk');

  const others = { send: 2, sendDeadLetters: 0, inbound: 0, inboundDeadLetters: 0 };
  expect(await operations.depths()).toEqual({ ...others, bulk: 1, bulkDeadLetters: 0 });
  const { bulkSendQueueUrl: _, bulkSendDeadLetterQueueUrl: __, ...withoutBulkLane } = urls;
  expect(await createQueueOperations(sqs, withoutBulkLane).depths()).toEqual(others);
});
