import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEventBridgeScheduler } from '../../../lambdas/adapters/scheduler.ts';
import { parseDueMessage } from '../../../lambdas/domain/send-request.ts';
import type { SendScheduler } from '../../../lambdas/ports.ts';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../local/base/clock.ts';
import { startScheduler } from '../../../local/emulators/scheduler.ts';
import { createSchedules } from '../../../local/emulators/schedules.ts';
import { startSqs } from '../../../local/emulators/sqs/sqs.ts';
import { NOW } from '../../support/builders.ts';
import { createSimulatedSchedules } from './schedules.ts';
import { createVirtualClock } from './virtual-clock.ts';

interface TestedScheduler {
  readonly scheduler: SendScheduler;
  /** Returns the time in so many milliseconds. */
  inMs(ms: number): string;
  pass(ms: number): Promise<void>;
  /** Returns the requests whose due messages were put on the queue since the last call. */
  dueRequests(): Promise<readonly (string | undefined)[]>;
}

const simulated = async (): Promise<TestedScheduler> => {
  const clock = createVirtualClock(NOW);
  const bodies: string[] = [];
  const schedules = createSimulatedSchedules(clock, ({ body }) => bodies.push(body));
  return {
    scheduler: { schedule: async (schedule) => schedules.create(schedule), cancel: async (id) => schedules.cancel(id) },
    inMs: (ms) => new Date(clock.ms + ms).toISOString(),
    async pass(ms) {
      clock.moveTo(clock.ms + ms);
      schedules.runDue();
    },
    dueRequests: async () => bodies.splice(0).map(parseDueMessage),
  };
};

const clock = createMovableClock();
const resources = new AsyncDisposableStack();
let sqs: SQSClient;
let queueBaseUrl: string;

beforeAll(async () => {
  const emulator = resources.adopt(await startSqs(), ({ close }) => close());
  sqs = resources.adopt(
    new SQSClient({ endpoint: emulator.url, region: REGION, credentials: CREDENTIALS }),
    async (client) => client.destroy(),
  );
  queueBaseUrl = `${emulator.url}/000000000000`;
  const schedules = resources.use(createSchedules(clock, () => undefined));
  schedules.createGroup('group');
  const server = resources.adopt(await startScheduler({ schedules, now: clock.now, sqs }), ({ close }) => close());
  vi.stubEnv('AWS_ENDPOINT_URL_SCHEDULER', server.url);
  vi.stubEnv('AWS_REGION', 'local');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await resources.disposeAsync();
});

const emulated = async (name: string): Promise<TestedScheduler> => {
  const QueueUrl = `${queueBaseUrl}/${name}.fifo`;
  const Attributes = { FifoQueue: 'true', VisibilityTimeout: '0' };
  await sqs.send(new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes }));
  const target = { roleArn: 'arn:aws:iam::000000000000:role/schedule', sendQueueUrl: QueueUrl };
  const deadLetterQueueArn = 'arn:aws:sqs:local:000000000000:lost';
  return {
    scheduler: createEventBridgeScheduler({ groupName: 'group', target: { ...target, deadLetterQueueArn } }),
    inMs: (ms) => new Date(clock.now().getTime() + ms).toISOString(),
    pass: (ms) => clock.advance(ms),
    async dueRequests() {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
      return Messages.map(({ Body = '' }) => parseDueMessage(Body));
    },
  };
};

const HOUR_MS = 60 * 60 * 1000;
const groupId = 'contact';

describe.each([
  ['simulated', simulated],
  ['on the emulator', emulated],
] as const)('the schedules, %s', (_, create) => {
  it('put the message of a request on the queue once it is due, and not before', async () => {
    const { scheduler, inMs, pass, dueRequests } = await create('due');
    await scheduler.schedule({ requestId: 'due-1', groupId, at: inMs(2 * HOUR_MS) });

    await pass(HOUR_MS);
    const before = await dueRequests();
    await pass(HOUR_MS + 1_000);

    expect(before).toEqual([]);
    expect(await dueRequests()).toEqual(['due-1']);
  });

  it('keep the first schedule of a request', async () => {
    const { scheduler, inMs, pass, dueRequests } = await create('twice');
    await scheduler.schedule({ requestId: 'twice-1', groupId, at: inMs(2 * HOUR_MS) });
    await scheduler.schedule({ requestId: 'twice-1', groupId, at: inMs(HOUR_MS) });

    await pass(HOUR_MS + 2_000);
    const before = await dueRequests();
    await pass(HOUR_MS);

    expect(before).toEqual([]);
    expect(await dueRequests()).toEqual(['twice-1']);
  });

  it('do nothing for a request that is cancelled, once or twice', async () => {
    const { scheduler, inMs, pass, dueRequests } = await create('cancelled');
    await scheduler.schedule({ requestId: 'cancelled-1', groupId, at: inMs(HOUR_MS) });
    await scheduler.cancel('cancelled-1');
    await scheduler.cancel('cancelled-1');

    await pass(2 * HOUR_MS);

    expect(await dueRequests()).toEqual([]);
  });
});
