import { createServer } from 'node:http';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scanForTraces } from '../../../../cli/operations/erasure-scan.ts';
import { scanQueue } from '../../../../cli/operations/scan-queue.ts';
import { storesOfStack } from '../../../../cli/operations/stack-stores.ts';
import { createEventBridgeScheduler, scheduleName } from '../../../../lambdas/adapters/scheduler.ts';
import { createTraceSearch } from '../../../../lambdas/domain/traces.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { startScheduler } from '../../../../local/emulators/scheduler.ts';
import { createSchedules } from '../../../../local/emulators/schedules.ts';
import { startSqs } from '../../../../local/emulators/sqs/sqs.ts';
import { USER } from '../../../support/builders.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const search = createTraceSearch({ ids: [USER] });
let emulator: ListeningServer;
let sqs: SQSClient;

beforeAll(async () => {
  emulator = await startSqs({ pollSecondMs: 50 });
  sqs = new SQSClient({ endpoint: emulator.url, region: 'local', credentials });
});
afterAll(async () => {
  sqs?.destroy();
  await emulator?.close();
});

const createQueue = async (QueueName: string, Attributes: Record<string, string> = {}): Promise<string> => {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return QueueUrl;
};
const attribute = async (QueueUrl: string, name: 'QueueArn' | 'ApproximateNumberOfMessagesNotVisible') => {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
  return Attributes?.[name] ?? '';
};
const put = (QueueUrl: string, MessageBody: string, fifo: { readonly MessageGroupId?: string } = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...fifo }));

describe('the scan of a queue', () => {
  it('finds the messages with a trace, says where, and releases all of them', async () => {
    const url = await createQueue('plain');
    for (let index = 0; index < 12; index += 1) await put(url, `{"n":${index}}`);
    const { MessageId } = await put(url, JSON.stringify({ FROM: USER }));

    expect(await scanQueue(sqs, url, search)).toEqual({
      searched: { store: 'queue plain', kind: 'messages', count: 13, unread: 0 },
      traces: [{ store: 'queue plain', place: MessageId, fields: ['Body', 'FROM'] }],
    });

    expect(await attribute(url, 'ApproximateNumberOfMessagesNotVisible')).toBe('0');
  });

  it('finds a trace in a message group, and counts what another consumer has in flight', async () => {
    const deadLetters = await createQueue('dead.fifo', { FifoQueue: 'true' });
    const deadLetterTargetArn = await attribute(deadLetters, 'QueueArn');
    const url = await createQueue('live.fifo', {
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 9 }),
    });
    await put(url, 'in flight', { MessageGroupId: 'group' });
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, VisibilityTimeout: 60 }));
    await put(url, 'behind it', { MessageGroupId: 'group' });
    await put(url, 'visible', { MessageGroupId: USER });

    const { searched, traces } = await scanQueue(sqs, url, search);

    expect(searched).toMatchObject({ count: 1, unread: 2 });
    expect(traces.map(({ fields }) => fields)).toEqual([['MessageGroupId']]);
    expect(await attribute(url, 'ApproximateNumberOfMessagesNotVisible')).toBe('1');
  });
});

describe('the scan of the schedules', () => {
  it('finds the schedules with a trace', async () => {
    const schedules = createSchedules(createMovableClock(), () => undefined);
    schedules.createGroup('group');
    const server = await startScheduler({ schedules, now: () => new Date(), sqs });
    const scheduler = new SchedulerClient({ endpoint: server.url, region: 'local', credentials });
    vi.stubEnv('AWS_ENDPOINT_URL_SCHEDULER', server.url);
    vi.stubEnv('AWS_REGION', 'local');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    const target = {
      roleArn: 'arn:aws:iam::000000000000:role/schedule',
      sendQueueUrl: 'http://127.0.0.1:1/000000000000/send.fifo',
      deadLetterQueueArn: 'arn:aws:sqs:local:000000000000:lost',
      keyArn: undefined,
    };
    const { schedule } = createEventBridgeScheduler({ groupName: 'group', target });
    await schedule({ requestId: 'request-1', groupId: USER, at: '2099-11-20T12:00:00.000Z' });
    await schedule({ requestId: 'request-2', groupId: 'another', at: '2099-11-20T12:00:00.000Z' });
    const stores = { tables: [], scheduleGroups: ['group'], queueUrls: [], notSearched: [] };
    const dynamodb = new DynamoDBClient({ region: 'local', credentials });

    const { searched, traces } = await scanForTraces({ ...stores, dynamodb, scheduler, sqs }, { ids: [USER] });

    expect(searched).toEqual([{ store: 'schedules group', kind: 'schedules', count: 2 }]);
    expect(traces).toMatchObject([{ store: 'schedules group', place: scheduleName('request-1') }]);
    vi.unstubAllEnvs();
    await schedules.close();
    await server.close();
  });
});

describe('the stores of a stack', () => {
  it('are its tables, schedule groups, and queues; the rest is listed as not searched', async () => {
    const resources = [
      ['AWS::DynamoDB::Table', 'table'],
      ['AWS::SQS::Queue', 'https://sqs/queue'],
      ['AWS::Scheduler::ScheduleGroup', 'group'],
      ['AWS::Logs::LogGroup', 'logs'],
      ['AWS::S3::Bucket', 'bucket'],
      ['AWS::IAM::Role', 'role'],
    ];
    const members = resources.map(
      ([type, id]) =>
        `<member><ResourceType>${type}</ResourceType><PhysicalResourceId>${id}</PhysicalResourceId></member>`,
    );
    const list = `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
    await using aws = await listenLocally(
      createServer((_, response) => {
        response.end(
          `<ListStackResourcesResponse><ListStackResourcesResult>${list}</ListStackResourcesResult></ListStackResourcesResponse>`,
        );
      }),
    );
    const cloudFormation = new CloudFormationClient({ region: 'eu-west-1', credentials, endpoint: aws.url });

    const stores = await storesOfStack(cloudFormation, 'Parley-prod', {
      sqs,
      client: { region: 'eu-west-1', credentials },
      existingTableArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/messaging',
    });

    expect(stores).toMatchObject({
      tables: ['table', 'messaging'],
      queueUrls: ['https://sqs/queue'],
      scheduleGroups: ['group'],
    });
    expect(stores.notSearched.slice(0, 2)).toEqual([expect.stringContaining('log group logs'), 'bucket bucket']);
    expect(stores.notSearched.join()).not.toContain('role');
  });
});
