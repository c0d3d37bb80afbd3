import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, REGION } from '../../../local/aws-variables.ts';
import { createMovableClock } from '../../../local/clock/movable-clock.ts';
import { startScheduler } from '../../../local/emulators/scheduler.ts';
import { type SqsEmulator, startSqs } from '../../../local/emulators/sqs.ts';
import type { ListeningServer } from '../../../local/listen-locally.ts';
import { createSchedules, type Schedules } from '../../../local/schedules/schedules.ts';

const clock = createMovableClock();
let queues: SqsEmulator;
let sqs: SQSClient;
let schedules: Schedules;
let server: ListeningServer;
let client: SchedulerClient;

beforeAll(async () => {
  queues = await startSqs();
  const settings = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' }, maxAttempts: 1 };
  sqs = new SQSClient({ ...settings, endpoint: queues.url });
  schedules = createSchedules(clock, () => undefined);
  schedules.createGroup('group');
  server = await startScheduler({ schedules, now: clock.now, sqs });
  client = new SchedulerClient({ ...settings, endpoint: server.url });
});
afterAll(async () => {
  client.destroy();
  await schedules.close();
  await server.close();
  sqs.destroy();
  await queues.close();
});

const createQueue = async (name: string): Promise<string> => {
  await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: { FifoQueue: 'true' } }));
  return `${queues.url}/${ACCOUNT_ID}/${name}`;
};
const inSeconds = (seconds: number): string =>
  new Date(clock.now().getTime() + seconds * 1000).toISOString().slice(0, 19);
const schedule = (Name: string, QueueUrl: string, changes: Partial<CreateScheduleCommandInput> = {}) =>
  new CreateScheduleCommand({
    Name,
    GroupName: 'group',
    ScheduleExpression: `at(${inSeconds(3600)})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: {
      Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
      RoleArn: 'arn:aws:iam::000000000000:role/wake',
      Input: JSON.stringify({ QueueUrl, MessageBody: Name, MessageGroupId: 'g', MessageDeduplicationId: Name }),
    },
    ...changes,
  });
/** Takes what stands in the queue; a group's messages come one by one. */
const received = async (QueueUrl: string): Promise<string[]> => {
  const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  if (message === undefined) return [];
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  return [message.Body ?? '', ...(await received(QueueUrl))];
};
const get = (Name: string) => client.send(new GetScheduleCommand({ Name, GroupName: 'group' }));

describe('the stand-in for EventBridge Scheduler', () => {
  it('sends a schedule’s message when the clock comes to its time, once, and deletes it', async () => {
    const queueUrl = await createQueue('due.fifo');
    await client.send(schedule('due', queueUrl));
    expect(await get('due')).toMatchObject({ Name: 'due', GroupName: 'group', ActionAfterCompletion: 'DELETE' });

    await clock.advance(3_500_000);
    const before = await received(queueUrl);
    await clock.advance(200_000);
    const after = await received(queueUrl);

    expect([before, after]).toEqual([[], ['due']]);
    await expect(get('due')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('sends several in the order of their times when the clock jumps over them', async () => {
    const queueUrl = await createQueue('several.fifo');
    for (const [name, seconds] of [
      ['third', 3000],
      ['first', 1000],
      ['second', 2000],
    ] as const) {
      await client.send(schedule(name, queueUrl, { ScheduleExpression: `at(${inSeconds(seconds)})` }));
    }

    await clock.advance(86_400_000);

    expect(await received(queueUrl)).toEqual(['first', 'second', 'third']);
  });

  it('holds one of a name: another is refused, and the same request again is not', async () => {
    const queueUrl = await createQueue('conflict.fifo');
    await client.send(schedule('one', queueUrl, { ClientToken: 'a' }));

    await client.send(schedule('one', queueUrl, { ClientToken: 'a' }));
    const another = client.send(schedule('one', queueUrl, { ClientToken: 'b' }));

    await expect(another).rejects.toMatchObject({ name: 'ConflictException' });
  });

  it('deletes one before its time', async () => {
    const queueUrl = await createQueue('deleted.fifo');
    await client.send(schedule('deleted', queueUrl));

    await client.send(new DeleteScheduleCommand({ Name: 'deleted', GroupName: 'group' }));
    await clock.advance(86_400_000);

    expect(await received(queueUrl)).toEqual([]);
    const again = client.send(new DeleteScheduleCommand({ Name: 'deleted', GroupName: 'group' }));
    await expect(again).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it.each<[string, Partial<CreateScheduleCommandInput>, RegExp]>([
    ['one that recurs', { ScheduleExpression: 'rate(1 minute)' }, /only one-time schedules/],
    ['one that stays', { ActionAfterCompletion: 'NONE' }, /only schedules that delete themselves/],
    ['a flexible window', { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } }, /no flexible time/],
    ['a time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }, /only UTC/],
    ['an unknown group', { GroupName: 'other' }, /group other does not exist/],
    [
      'another target',
      { Target: { Arn: 'arn:aws:lambda:local:000000000000:function:f', RoleArn: 'r', Input: '{}' } },
      /only the universal target/,
    ],
    [
      'a message without its queue',
      { Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage', RoleArn: 'r', Input: '{"MessageBody":"x"}' } },
      /no request of SendMessage/,
    ],
  ])('refuses %s', async (_name, changes, message) => {
    await expect(client.send(schedule('refused', `${queues.url}/x`, changes))).rejects.toThrow(message);
  });

  it('says of any other operation that it is not known here', async () => {
    await expect(client.send(new ListSchedulesCommand({}))).rejects.toThrow('does not know GET /schedules');
  });
});
