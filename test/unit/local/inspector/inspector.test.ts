import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import { createEventBuses } from '../../../../local/emulators/event-buses.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { createInspector } from '../../../../local/inspector/inspector.ts';
import type { InspectorChange } from '../../../../sandbox/base/inspector.ts';
import { RETENTION_DAYS, USER } from '../../../support/builders.ts';
import { eventually } from '../../../support/eventually.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage } from '../../lambdas/manage/managed-stage.ts';

const tables = testTables();

/** An inspector of a table, of empty queues, and of a management API that returns how often the stage was read. */
const inspectStage = async () => {
  const clock = createMovableClock();
  const stage = await createManagedStage(tables);
  const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } as const;
  await tables.client.send(new UpdateTableCommand({ TableName: stage.tableName, StreamSpecification }));
  const emulator = await startSqs({ clock });
  onTestFinished(() => emulator.close());
  const client = { region: REGION, credentials: CREDENTIALS };
  const sqs = new SQSClient({ ...client, endpoint: emulator.url });
  onTestFinished(() => sqs.destroy());
  const dynamodbStreams = new DynamoDBStreamsClient({ ...client, endpoint: tables.url });
  onTestFinished(() => dynamodbStreams.destroy());
  await sqs.send(new CreateQueueCommand({ QueueName: 'queue' }));
  const queueUrl = `${emulator.url}/000000000000/queue`;
  let reads = 0;
  const management = await listenLocally(
    createServer(async (request, response) => {
      await text(request);
      reads += 1;
      const answer = {
        chatPlatform: 'chat',
        chatChannelNumber: '+5491100000000',
        chatServiceUrl: 'http://127.0.0.1:1',
        windowMarginSeconds: 60,
        windowPer: 'user',
        retentionDays: RETENTION_DAYS,
        circuitBreaker: { state: 'open', why: `Read ${reads}` },
        sending: { state: 'running' },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }),
  );
  onTestFinished(() => management.close());
  const emulators = { dynamodb: tables.client, dynamodbStreams, sqs, buses: createEventBuses(clock.now, () => {}) };
  const inspector = createInspector(
    emulators,
    {
      sendQueueUrl: queueUrl,
      sendDeadLetterQueueUrl: queueUrl,
      inboundQueueUrl: queueUrl,
      inboundDeadLetterQueueUrl: queueUrl,
      managementUrl: management.url,
      tableName: stage.tableName,
      eventBusName: 'Parley-dev',
    },
    { handovers: false, keywords: false, confirmsOptOuts: false, bulkLane: false, windowMarginSeconds: 30 },
    clock.now,
  );
  onTestFinished(() => inspector[Symbol.dispose]());
  const changes: InspectorChange[] = [];
  const of = <Kind extends InspectorChange['kind']>(kind: Kind) =>
    changes.filter((change): change is Extract<InspectorChange, { kind: Kind }> => change.kind === kind);
  const until = <Kind extends InspectorChange['kind']>(kind: Kind, count: number) =>
    eventually(() => (of(kind).length >= count ? of(kind) : undefined));
  return {
    stage,
    inspector,
    watch: () => inspector.watch((change) => changes.push(change)),
    until,
    of,
    reads: () => reads,
  };
};

it('pushes the stage to a new listener, and after each change of the account', async () => {
  const { stage, watch, until, of } = await inspectStage();

  watch();
  await until('stage', 2);
  // From here on, the table is watched, and nothing else can push the stage.
  const before = of('stage').length;
  await stage.call('stopSending', { body: { note: 'Wrong price' } });
  await until('stage', before + 1);

  expect(of('stage').at(-1)?.stage.circuitBreaker.why).toBe(`Read ${before + 1}`);
});

it('pushes a request with the number of those in each state, and finds it', async () => {
  const { stage, inspector, watch, until } = await inspectStage();
  watch();
  await until('stage', 2);

  await stage.call('enqueueSend', { body: { requestId: 'request-1', platformContactId: USER, messageText: 'Hi' } });
  const [change] = await until('send', 1);

  expect(change?.send).toMatchObject({ requestId: 'request-1', state: 'queued', text: 'Hi' });
  expect(change?.states).toMatchObject({ queued: 1, accepted: 0 });
  expect(await inspector.sends({ contact: USER.replace('+', ' '), state: 'queued', text: 'hi' })).toMatchObject({
    sends: [{ requestId: 'request-1' }],
    total: 1,
    states: { queued: 1 },
  });
});

it('does not read the stage while there are no listeners', async () => {
  const { stage, inspector, watch, until, reads } = await inspectStage();
  const stop = watch();
  await until('stage', 2);
  stop();
  const before = reads();

  await stage.call('stopSending', { body: { note: 'Wrong price' } });
  await stage.call('enqueueSend', { body: { requestId: 'request-1', platformContactId: USER, messageText: 'Hi' } });
  await eventually(async () => ((await inspector.sends({})).total > 0 ? true : undefined));

  expect(reads()).toBe(before);
});

it('does not read the stage when requests are listed', async () => {
  const { inspector, watch, until, reads } = await inspectStage();
  watch();
  await until('stage', 2);
  const before = reads();

  for (let index = 0; index < 5; index += 1) await inspector.sends({});
  await until('queues', 1);

  expect(reads()).toBe(before);
});
