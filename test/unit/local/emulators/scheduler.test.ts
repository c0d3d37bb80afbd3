import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  paginateListSchedules,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_ID, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startScheduler } from '../../../../local/emulators/scheduler.ts';
import { createSchedules, type Schedules } from '../../../../local/emulators/schedules.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';

const clock = createMovableClock();
let queues: ListeningServer;
let sqs: SQSClient;
let schedules: Schedules;
let server: ListeningServer;
let client: SchedulerClient;
const warnings: string[] = [];

beforeAll(async () => {
  queues = await startSqs();
  const settings = { region: REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' }, maxAttempts: 1 };
  sqs = new SQSClient({ ...settings, endpoint: queues.url });
  schedules = createSchedules(clock, (message) => warnings.push(message));
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
/** Receives and deletes every message of the queue; a group's messages are received one at a time. */
const received = async (QueueUrl: string): Promise<string[]> => {
  const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  if (message === undefined) return [];
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  return [message.Body ?? '', ...(await received(QueueUrl))];
};
const get = (Name: string) => client.send(new GetScheduleCommand({ Name, GroupName: 'group' }));

describe('the EventBridge Scheduler emulator', () => {
  it('sends the message of a schedule once when it is due, then deletes the schedule', async () => {
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

  it('sends the messages of several due schedules in the order of their times', async () => {
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

  it('accepts a retry with the same token, and rejects another schedule with the same name', async () => {
    const queueUrl = await createQueue('conflict.fifo');
    await client.send(schedule('one', queueUrl, { ClientToken: 'a' }));

    await client.send(schedule('one', queueUrl, { ClientToken: 'a' }));
    const another = client.send(schedule('one', queueUrl, { ClientToken: 'b' }));

    await expect(another).rejects.toMatchObject({ name: 'ConflictException' });
  });

  it('retries a target for a day, then puts its input with the error on the dead-letter queue', async () => {
    const deadLetters = 'schedule-dead-letters';
    await sqs.send(new CreateQueueCommand({ QueueName: deadLetters }));
    const missing = `${queues.url}/${ACCOUNT_ID}/missing.fifo`;
    const command = schedule('failing', missing);
    const { Target } = command.input;
    const DeadLetterConfig = { Arn: `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${deadLetters}` };
    await client.send(schedule('failing', missing, { Target: Target && { ...Target, DeadLetterConfig } }));
    warnings.length = 0;
    const deadLetter = async () => {
      const QueueUrl = `${queues.url}/${ACCOUNT_ID}/${deadLetters}`;
      const receive = new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ['All'] });
      return (await sqs.send(receive)).Messages?.[0];
    };

    await clock.advance(3_700_000);
    await clock.advance(80_000_000);
    const before = await deadLetter();
    await clock.advance(7_000_000);
    const after = await deadLetter();

    expect(before).toBeUndefined();
    expect(JSON.parse(after?.Body ?? '')).toMatchObject({ QueueUrl: missing, MessageBody: 'failing' });
    const attributes = Object.entries(after?.MessageAttributes ?? {}).map(([name, value]) => [name, value.StringValue]);
    expect(Object.fromEntries(attributes)).toMatchObject({
      ERROR_CODE: expect.stringMatching(/NonExistentQueue|QueueDoesNotExist/),
      ERROR_MESSAGE: expect.any(String),
      EXHAUSTED_RETRY_CONDITION: 'MaximumEventAgeInSeconds',
      RETRY_ATTEMPTS: expect.stringMatching(/^[1-9]\d*$/),
      SCHEDULE_ARN: expect.stringMatching(/:schedule\/group\/failing$/),
      TARGET_ARN: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^Schedule failing could not call its target and will retry: /),
      expect.stringMatching(/^Schedule failing could not call its target for a day and gives up: /),
    ]);
    await expect(get('failing')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('deletes a schedule before it is due', async () => {
    const queueUrl = await createQueue('deleted.fifo');
    await client.send(schedule('deleted', queueUrl));

    await client.send(new DeleteScheduleCommand({ Name: 'deleted', GroupName: 'group' }));
    await clock.advance(86_400_000);

    expect(await received(queueUrl)).toEqual([]);
    const again = client.send(new DeleteScheduleCommand({ Name: 'deleted', GroupName: 'group' }));
    await expect(again).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it.each<[string, Partial<CreateScheduleCommandInput>, RegExp]>([
    ['a recurring schedule', { ScheduleExpression: 'rate(1 minute)' }, /only one-time schedules are supported/],
    [
      'a schedule that is not deleted',
      { ActionAfterCompletion: 'NONE' },
      /only schedules that delete themselves are supported/,
    ],
    [
      'a flexible window',
      { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 } },
      /flexible time windows are not supported/,
    ],
    ['a time zone', { ScheduleExpressionTimezone: 'Europe/Berlin' }, /only UTC is supported/],
    ['an unknown group', { GroupName: 'other' }, /group other does not exist/],
    [
      'another target',
      { Target: { Arn: 'arn:aws:lambda:local:000000000000:function:f', RoleArn: 'r', Input: '{}' } },
      /only the target sqs:sendMessage is supported/,
    ],
    [
      'a message without a queue',
      { Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage', RoleArn: 'r', Input: '{"MessageBody":"x"}' } },
      /not a valid SendMessage request/,
    ],
  ])('rejects %s', async (_name, changes, message) => {
    await expect(client.send(schedule('rejected', `${queues.url}/x`, changes))).rejects.toThrow(message);
  });

  it('rejects any other operation by name', async () => {
    await expect(client.send(new DeleteScheduleGroupCommand({ Name: 'group' }))).rejects.toThrow(
      'does not support DELETE /schedule-groups/group of EventBridge Scheduler',
    );
  });

  it('lists its groups, and the schedules of a group, page by page', async () => {
    schedules.createGroup('other');
    for (const name of ['listed-1', 'listed-2', 'listed-3']) {
      await client.send(schedule(name, `${queues.url}/x`, { GroupName: 'other' }));
    }

    const names: (string | undefined)[][] = [];
    for await (const page of paginateListSchedules({ client, pageSize: 2 }, { GroupName: 'other' })) {
      names.push((page.Schedules ?? []).map(({ Name }) => Name));
    }
    const { ScheduleGroups } = await client.send(new ListScheduleGroupsCommand({}));

    expect(names).toEqual([['listed-1', 'listed-2'], ['listed-3']]);
    expect(ScheduleGroups?.map(({ Name }) => Name)).toEqual(['default', 'group', 'other']);
  });
});
