import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEventbridgeSendAlarmClock, scheduleName } from '../../../../lambdas/aws/eventbridge-send-alarm-clock.ts';
import { readWakeUp } from '../../../../lambdas/domain/wake-up.ts';
import { createMovableClock } from '../../../../local/clock.ts';
import { startScheduler } from '../../../../local/emulators/scheduler.ts';
import { createSchedules, type Schedules } from '../../../../local/emulators/schedules.ts';
import type { ListeningServer } from '../../../../local/listen-locally.ts';

const clock = createMovableClock();
const sqs = new SQSClient({ region: 'local' });
let schedules: Schedules;
let server: ListeningServer;

beforeAll(async () => {
  schedules = createSchedules(clock, () => undefined);
  schedules.createGroup('group');
  server = await startScheduler({ schedules, now: clock.now, sqs });
  vi.stubEnv('AWS_ENDPOINT_URL_SCHEDULER', server.url);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await schedules.close();
  await server.close();
  sqs.destroy();
});

const setting = {
  roleArn: 'arn:aws:iam::000000000000:role/wake',
  sendQueueUrl: 'http://127.0.0.1:1/000000000000/send.fifo',
  deadLetterQueueArn: 'arn:aws:sqs:local:000000000000:lost',
};
const alarms = createEventbridgeSendAlarmClock({ groupName: 'group', setting });
const alarm = (requestId: string) => ({ requestId, groupId: '+5491155550000', at: '2099-11-20T12:00:00.001Z' });
const held = (requestId: string) => schedules.find('group', scheduleName(requestId));
const messageOf = (requestId: string) => {
  const target = held(requestId)?.declaration.Target;
  return JSON.parse(typeof target === 'object' && target !== null && 'Input' in target ? String(target.Input) : '{}');
};

describe('an alarm', () => {
  it('wakes the send queue in the request’s group, never early, and deletes itself', async () => {
    await alarms.set(alarm('request-1'));

    expect(held('request-1')).toMatchObject({
      // A schedule knows whole seconds: the next one.
      dueAt: new Date('2099-11-20T12:00:01.000Z'),
      declaration: {
        ActionAfterCompletion: 'DELETE',
        Target: { DeadLetterConfig: { Arn: setting.deadLetterQueueArn } },
      },
    });
    expect(messageOf('request-1')).toMatchObject({
      QueueUrl: setting.sendQueueUrl,
      MessageGroupId: '+5491155550000',
    });
    expect(readWakeUp(messageOf('request-1').MessageBody)).toBe('request-1');
  });

  it('is told apart by the queue from the request itself, which may have come a minute before', async () => {
    await alarms.set(alarm('request-2'));

    expect(messageOf('request-2').MessageDeduplicationId).not.toBe('request-2');
    expect(messageOf('request-2').MessageDeduplicationId).toMatch(/^[\w-]{1,128}$/);
  });

  it('may be set twice and taken back twice', async () => {
    await alarms.set(alarm('request-3'));
    await alarms.set(alarm('request-3'));
    expect(held('request-3')).toBeDefined();

    await alarms.remove('request-3');
    await alarms.remove('request-3');

    expect(held('request-3')).toBeUndefined();
  });

  it('has a name of its own for each request, whatever characters that has', async () => {
    const requestIds = ['a', 'A', '/#?%', '~'.repeat(128)];

    const names = requestIds.map(scheduleName);

    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
  });

  it('is set by none that may only take it back', async () => {
    const removing = createEventbridgeSendAlarmClock({ groupName: 'group' });

    await expect(removing.set(alarm('request-4'))).rejects.toThrow('sets none');
  });
});
