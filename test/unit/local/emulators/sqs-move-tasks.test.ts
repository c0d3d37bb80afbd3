import {
  CreateQueueCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, arnOf, CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';

/** What the contract in `test/contract/sqs` cannot show in minutes on the emulators that wait in real time. */
const clock = createMovableClock();
let emulator: ListeningServer;
let sqs: SQSClient;

beforeAll(async () => {
  emulator = await startSqs({ clock });
  sqs = new SQSClient({ endpoint: emulator.url, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });
});
afterAll(async () => {
  sqs?.destroy();
  await emulator?.close();
});

/** Creates a dead-letter queue with two messages, and another queue. Returns their names. */
const createDeadLetters = async (name: string): Promise<readonly [dead: string, other: string]> => {
  const [dead, other] = [`${name}-dead`, `${name}-other`];
  await sqs.send(new CreateQueueCommand({ QueueName: dead, Attributes: { MessageRetentionPeriod: '1209600' } }));
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arnOf('sqs', dead), maxReceiveCount: 1 });
  await sqs.send(new CreateQueueCommand({ QueueName: other, Attributes: { RedrivePolicy } }));
  for (const MessageBody of ['a', 'b']) await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(dead), MessageBody }));
  return [dead, other];
};
const urlOf = (name: string): string => `${emulator.url}/${ACCOUNT_ID}/${name}`;
const start = (dead: string, other: string, perSecond?: number) => {
  const arns = { SourceArn: arnOf('sqs', dead), DestinationArn: arnOf('sqs', other) };
  return sqs.send(new StartMessageMoveTaskCommand({ ...arns, MaxNumberOfMessagesPerSecond: perSecond }));
};
const statusOf = async (dead: string) => {
  const { Results = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: arnOf('sqs', dead) }));
  return Results[0]?.Status;
};
const receive = async (name: string, WaitTimeSeconds: number) => {
  const received = await sqs.send(new ReceiveMessageCommand({ QueueUrl: urlOf(name), WaitTimeSeconds }));
  return received.Messages?.map(({ Body }) => Body);
};

describe('a message movement task', () => {
  it('ends a long poll of the destination when it moves a message', async () => {
    const [dead, other] = await createDeadLetters('polled');
    await start(dead, other, 1);

    const received = receive(other, 20);
    await clock.advance(1_000);

    expect(await received).toEqual(['a']);
    await clock.advance(1_000);
    expect(await statusOf(dead)).toBe('COMPLETED');
  });

  it('leaves a message that is in flight', async () => {
    const [dead, other] = await createDeadLetters('in-flight');
    expect(await receive(dead, 0)).toEqual(['a']);

    await start(dead, other);

    expect([await receive(other, 0), await receive(other, 0)]).toEqual([['b'], undefined]);
  });

  it('ends without moving anything if the queue is empty', async () => {
    const [dead, other] = await createDeadLetters('empty');
    await start(dead, other);
    await start(dead, other);

    expect(await statusOf(dead)).toBe('COMPLETED');
  });

  it('is refused while 100 others are active', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `busy-${index}`);
    const pairs = await Promise.all(names.map(createDeadLetters));
    for (const [dead, other] of pairs.slice(0, 100)) await start(dead, other, 1);
    const [last = ['', '']] = pairs.slice(100);

    await expect(start(...last)).rejects.toMatchObject({ name: 'RequestThrottled' });
    await clock.advance(2_000);
    await expect(start(...last)).resolves.toBeDefined();
  });
});
