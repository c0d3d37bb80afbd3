import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/aws-environment.ts';
import { createMovableClock } from '../../../../local/clock.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { authenticate } from '../../../../local/http-api/iam-authorizer.ts';
import { createQueueOperations } from '../../../../local/inspector/queues.ts';
import { listenLocally } from '../../../../local/listen-locally.ts';

it("the console's redrive of events is the command's: a signed call of the management API, and no message", async () => {
  const emulator = await startSqs({ clock: createMovableClock(), pollSecondMs: 50 });
  onTestFinished(() => emulator.close());
  const sqs = new SQSClient({ region: REGION, credentials: CREDENTIALS, endpoint: emulator.url });
  onTestFinished(() => sqs.destroy());
  const queues = ['send.fifo', 'send-dead.fifo', 'inbound', 'inbound-dead'];
  for (const QueueName of queues) {
    await sqs.send(
      new CreateQueueCommand({ QueueName, Attributes: QueueName.endsWith('fifo') ? { FifoQueue: 'true' } : {} }),
    );
  }
  const [sendQueueUrl = '', sendDeadLetterQueueUrl = '', inboundQueueUrl = '', inboundDeadLetterQueueUrl = ''] =
    queues.map((name) => `${emulator.url}/000000000000/${name}`);
  await sqs.send(new SendMessageCommand({ QueueUrl: inboundDeadLetterQueueUrl, MessageBody: 'event' }));
  const calls: unknown[] = [];
  const management = await listenLocally(
    createServer(async (request, response) => {
      const body = await text(request);
      const signer = await authenticate(request, Buffer.from(body), CREDENTIALS, new Date());
      calls.push([request.method, request.url, JSON.parse(body), signer?.userArn]);
      const answer = { moved: 4, left: 0, isComplete: calls.length === 2, before: '2026-11-20T12:00:00.000Z' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }),
  );
  onTestFinished(() => management.close());
  const operations = createQueueOperations(sqs, {
    sendQueueUrl,
    sendDeadLetterQueueUrl,
    inboundQueueUrl,
    inboundDeadLetterQueueUrl,
    managementUrl: management.url,
  });

  expect(await operations.redrive('inbound')).toBe(8);
  expect(calls).toEqual([
    ['POST', '/v1/redrives', { queue: 'inbound' }, 'arn:aws:iam::000000000000:user/local'],
    [
      'POST',
      '/v1/redrives',
      { queue: 'inbound', before: '2026-11-20T12:00:00.000Z' },
      'arn:aws:iam::000000000000:user/local',
    ],
  ]);
  expect(await operations.depths()).toEqual({ send: 0, sendDeadLetters: 0, inbound: 0, inboundDeadLetters: 1 });
});
