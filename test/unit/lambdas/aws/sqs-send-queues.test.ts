import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqsSendDeadLetters } from '../../../../lambdas/aws/sqs-send-queues.ts';
import { type SqsEmulator, startSqs } from '../../../../local/emulators/sqs.ts';

let emulator: SqsEmulator;
let client: SQSClient;
let queueUrl: string;

beforeAll(async () => {
  emulator = await startSqs();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new SQSClient({ endpoint: emulator.url, region: 'local', credentials });
  const queue = new CreateQueueCommand({ QueueName: 'dead-letters.fifo', Attributes: { FifoQueue: 'true' } });
  queueUrl = (await client.send(queue)).QueueUrl ?? '';
});
afterAll(async () => {
  client?.destroy();
  await emulator?.close();
});

it('a dead letter keeps its body and group, and its reason in characters that SQS takes', async () => {
  const message = { body: '{"a\\u0000":1}', groupId: 'contact', deduplicationId: 'request-1' };
  await createSqsSendDeadLetters(client, queueUrl).put(
    message,
    `MALFORMED: unrecognized key "a\u0000\ud800"${'x'.repeat(600)}`,
  );
  const { Messages } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  const [received] = Messages ?? [];
  expect(received).toMatchObject({ Body: message.body, Attributes: { MessageGroupId: 'contact' } });
  const reason = received?.MessageAttributes?.reason?.StringValue;
  expect(reason).toMatch(/^MALFORMED: unrecognized key "a\ufffd\ufffd"x+$/);
  expect(reason).toHaveLength(500);
});
