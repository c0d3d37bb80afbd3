import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEventBridgeScheduler, scheduleName } from '../../../../lambdas/adapters/scheduler.ts';
import { parseDueMessage } from '../../../../lambdas/domain/send-request.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { ListeningServer } from '../../../../local/base/listen-locally.ts';
import { startScheduler } from '../../../../local/emulators/scheduler.ts';
import { createSchedules, type Schedules } from '../../../../local/emulators/schedules.ts';

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

const target = {
  roleArn: 'arn:aws:iam::000000000000:role/schedule',
  sendQueueUrl: 'http://127.0.0.1:1/000000000000/send.fifo',
  deadLetterQueueArn: 'arn:aws:sqs:local:000000000000:lost',
  keyArn: undefined,
};
const scheduler = createEventBridgeScheduler({ groupName: 'group', target });
const due = (requestId: string) => ({ requestId, groupId: '+5491155550000', at: '2099-11-20T12:00:00.001Z' });
const find = (requestId: string) => schedules.find('group', scheduleName(requestId));
const messageOf = (requestId: string) => {
  const declared = find(requestId)?.declaration.Target;
  const hasInput = typeof declared === 'object' && declared !== null && 'Input' in declared;
  return JSON.parse(hasInput ? String(declared.Input) : '{}');
};

describe('the EventBridge scheduler', () => {
  it('encrypts a schedule with the key of the stage, if there is one', async () => {
    const keyArn = 'arn:aws:kms:local:000000000000:key/stage';
    await createEventBridgeScheduler({ groupName: 'group', target: { ...target, keyArn } }).schedule(due('encrypted'));
    await scheduler.schedule(due('not-encrypted'));

    expect(find('encrypted')?.declaration).toHaveProperty('KmsKeyArn', keyArn);
    expect(find('not-encrypted')?.declaration).not.toHaveProperty('KmsKeyArn');
  });

  it("puts a due message on the send queue, in the request's message group and never early", async () => {
    await scheduler.schedule(due('request-1'));

    expect(find('request-1')).toMatchObject({
      // A schedule has no fractions of a second.
      dueAt: new Date('2099-11-20T12:00:01.000Z'),
      declaration: {
        ActionAfterCompletion: 'DELETE',
        Target: { DeadLetterConfig: { Arn: target.deadLetterQueueArn } },
      },
    });
    expect(messageOf('request-1')).toMatchObject({
      QueueUrl: target.sendQueueUrl,
      MessageGroupId: '+5491155550000',
    });
    expect(parseDueMessage(messageOf('request-1').MessageBody)).toBe('request-1');
  });

  it('gives the due message another deduplication id than the request has', async () => {
    await scheduler.schedule(due('request-2'));

    expect(messageOf('request-2').MessageDeduplicationId).not.toBe('request-2');
    expect(messageOf('request-2').MessageDeduplicationId).toMatch(/^[\w-]{1,128}$/);
  });

  it('names each schedule after its request, whatever characters the id has', async () => {
    const requestIds = ['a', 'A', '/#?%', '~'.repeat(128)];

    const names = requestIds.map(scheduleName);

    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
  });

  it('cancels a schedule, and does nothing if there is none', async () => {
    await scheduler.schedule(due('request-3'));
    expect(find('request-3')).toBeDefined();

    await scheduler.cancel('request-3');
    await scheduler.cancel('request-3');

    expect(find('request-3')).toBeUndefined();
  });
});
