import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../local/base/clock.ts';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import { startDynamoDb } from '../../../local/emulators/dynamodb.ts';
import { type Emulators, startEmulators } from '../../../local/emulators/emulators.ts';
import { type RunningStack, startStack } from '../../../local/stack/stack.ts';
import { parseTemplate } from '../../../local/template/template.ts';
import { eventually } from '../../support/eventually.ts';
import { writeBundle } from '../../unit/local/functions/fake-function.ts';
import { stackFixture } from './stack-fixture.ts';

// Messages are kept in a file, because another process of the function may handle the next event.
const BUNDLE = `
import { appendFileSync, readFileSync } from 'node:fs';
const file = new URL('./queued', import.meta.url);
appendFileSync(file, '');
export const handler = async (event) => {
  if (event.Records) { for (const record of event.Records) appendFileSync(file, record.body); return; }
  const { TABLE_NAME: table, QUEUE_URL: queue, SECRET_ID: secret } = process.env;
  return { queued: readFileSync(file, 'utf8'), table, queue, secret };
};
`;

const clock = createMovableClock();
let emulators: Emulators;
let folder: RunFolder;
let shared: AsyncDisposableStack;
let started: AsyncDisposableStack;
let stackCount = 0;

beforeAll(async () => {
  shared = new AsyncDisposableStack();
  folder = shared.use(await createRunFolder());
  emulators = shared.use(await startEmulators({ folder: folder.path, clock, warn: () => undefined }));
  await writeBundle(join(folder.path, 'bundle'), BUNDLE);
});
afterAll(() => shared.disposeAsync());
beforeEach(() => {
  started = new AsyncDisposableStack();
});
afterEach(() => started.disposeAsync());

const start = async (template: unknown): Promise<RunningStack> => {
  stackCount += 1;
  const stack = await startStack({
    stackName: `Test-${stackCount}`,
    template: parseTemplate(template),
    assetFolder: folder.path,
    folder: folder.path,
    emulators,
    clock,
    logs: { folder: join(folder.path, 'logs') },
    warn: () => undefined,
  });
  return started.use(stack);
};

describe('a stack', () => {
  it('invokes its function for its API and its queue, with the names of the created resources', async () => {
    const { outputs, functions } = await start(stackFixture());
    const { Url = '', QueueUrl = '', TableName = '', SecretId = '' } = outputs;
    await emulators.sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody: 'queued', MessageGroupId: 'g', MessageDeduplicationId: 'd' }),
    );

    const response = await eventually(async () => {
      const body: unknown = await (await fetch(Url, { method: 'POST' })).json();
      return Object(body).queued === '' ? undefined : body;
    });

    expect(response).toEqual({ queued: 'queued', table: TableName, queue: QueueUrl, secret: SecretId });
    expect(Url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhook$/);
    expect(emulators.secrets.find(SecretId)?.versions[0]?.secretString).toHaveLength(12);
    expect([...functions.keys()]).toEqual(['Function']);
  });

  it('creates the table and the queues as declared', async () => {
    const { TableName = '', QueueUrl = '' } = (await start(stackFixture())).outputs;

    const { Table } = await emulators.dynamodb.send(new DescribeTableCommand({ TableName }));
    const timeToLive = await emulators.dynamodb.send(new DescribeTimeToLiveCommand({ TableName }));
    const { Attributes = {} } = await emulators.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );

    expect(Table).toMatchObject({
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [{ IndexName: 'byContact' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    expect(timeToLive.TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' });
    expect(Attributes).toMatchObject({ FifoQueue: 'true', VisibilityTimeout: '30' });
    expect(JSON.parse(Attributes.RedrivePolicy ?? '')).toEqual({
      deadLetterTargetArn: expect.stringMatching(/^arn:aws:sqs:local:000000000000:Test-\d+-DeadLetters\.fifo$/),
      maxReceiveCount: 7,
    });
  });

  it.each([
    [
      'an unsupported resource type',
      { Bucket: { Type: 'AWS::S3::Bucket' } },
      'Bucket (AWS::S3::Bucket): the local run does not support this resource type',
    ],
    [
      'an unsupported property',
      { Queue: { Type: 'AWS::SQS::Queue', Properties: { Color: 'red' } } },
      'Queue (AWS::SQS::Queue): the local run does not support the property Color',
    ],
    [
      'an unsupported nested property',
      {
        Queue: {
          Type: 'AWS::SQS::Queue',
          Properties: { RedrivePolicy: { deadLetterTargetArn: 'a', maxReceiveCount: 1, x: 1 } },
        },
      },
      'the property RedrivePolicy.x',
    ],
    [
      'an unsupported value',
      { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'a', ProtocolType: 'WEBSOCKET' } } },
      'Api (AWS::ApiGatewayV2::Api): the local run does not support this ProtocolType: only HTTP APIs are supported',
    ],
    [
      'an unsupported intrinsic',
      { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::ImportValue': 'x' } } } },
      'Queue (AWS::SQS::Queue).QueueName: the local run does not support the intrinsic function Fn::ImportValue',
    ],
    [
      'a function with another runtime',
      {
        F: {
          Type: 'AWS::Lambda::Function',
          Properties: { Code: { S3Bucket: 'a', S3Key: 'b' }, Handler: 'i.h', Runtime: 'python3.13' },
        },
      },
      'F (AWS::Lambda::Function): the local run does not support this Runtime: only nodejs24.x is supported',
    ],
    [
      'a function without code',
      {
        F: {
          Type: 'AWS::Lambda::Function',
          Properties: { Code: { S3Bucket: 'a', S3Key: 'b' }, Handler: 'i.h', Runtime: 'nodejs24.x' },
        },
      },
      'F (AWS::Lambda::Function): Code is not an asset',
    ],
  ])('rejects %s', async (_name, Resources, message) => {
    await expect(start({ Resources })).rejects.toThrow(message);
  });

  it('skips resources whose condition is false', async () => {
    const { functions } = await start({
      Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
      Resources: { Bucket: { Type: 'AWS::S3::Bucket', Condition: 'Never' } },
    });

    expect(functions.size).toBe(0);
  });
});

describe('a stack with events', () => {
  const STREAM_BUNDLE = `
    import { appendFileSync } from 'node:fs';
    export const handler = async ({ Records }) => {
      const poison = Records.find(({ dynamodb }) => dynamodb.Keys.pk.S === 'poison');
      if (poison) {
        appendFileSync(process.env.FILE + '.poison', poison.dynamodb.SequenceNumber + '\\n');
        throw new Error('poison');
      }
      for (const { eventName, dynamodb } of Records)
        appendFileSync(process.env.FILE, JSON.stringify([eventName, dynamodb.Keys.pk.S, dynamodb.OldImage?.v?.S, dynamodb.NewImage?.v?.S]) + '\\n');
    };
  `;
  const streamTemplate = (file: string) => ({
    Resources: {
      Table: {
        Type: 'AWS::DynamoDB::Table',
        Properties: {
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
        },
      },
      Failures: { Type: 'AWS::SQS::Queue' },
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Code: { S3Bucket: 'a', S3Key: 'b' },
          Environment: { Variables: { FILE: file } },
          Handler: 'index.handler',
          Runtime: 'nodejs24.x',
        },
        Metadata: { 'aws:asset:path': 'stream-bundle' },
      },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          BisectBatchOnFunctionError: true,
          DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Failures', 'Arn'] } } },
          EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
          FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT","MODIFY"]}' }] },
          FunctionName: { Ref: 'Function' },
          MaximumRetryAttempts: 0,
          StartingPosition: 'TRIM_HORIZON',
        },
      },
    },
    Outputs: { TableName: { Value: { Ref: 'Table' } }, FailuresUrl: { Value: { Ref: 'Failures' } } },
  });

  it('passes changes of a table to its function in order, and the position of a failed one to the on-failure queue', async () => {
    await writeBundle(join(folder.path, 'stream-bundle'), STREAM_BUNDLE);
    const file = join(folder.path, 'streamed');
    const { TableName, FailuresUrl } = (await start(streamTemplate(file))).outputs;
    const Item = (pk: string, v: string) => ({ pk: { S: pk }, v: { S: v } });

    for (const [pk, v] of [
      ['a', '1'],
      ['poison', '1'],
      ['b', '1'],
      ['a', '2'],
    ] as const) {
      await emulators.dynamodb.send(new PutItemCommand({ TableName, Item: Item(pk, v) }));
    }
    await emulators.dynamodb.send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'b' } } }));
    await emulators.dynamodb.send(new PutItemCommand({ TableName, Item: Item('last', '1') }));

    const lines = await eventually(async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text.includes('last')
        ? text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : undefined;
    });
    expect(lines).toEqual([
      ['INSERT', 'a', null, '1'],
      ['INSERT', 'b', null, '1'],
      ['MODIFY', 'a', '1', '2'],
      ['INSERT', 'last', null, '1'],
    ]);
    const poison = (await readFile(`${file}.poison`, 'utf8')).trim().split('\n').at(-1);
    const { Messages = [] } = await emulators.sqs.send(new ReceiveMessageCommand({ QueueUrl: FailuresUrl }));
    expect(JSON.parse(Messages[0]?.Body ?? '')).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { batchSize: 1, startSequenceNumber: poison, endSequenceNumber: poison },
    });
  });

  const rule = (pattern: object, target: object) => ({
    Resources: {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: `bus-${stackCount}` } },
      Queue: { Type: 'AWS::SQS::Queue' },
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: pattern, Targets: [{ Id: 'a', ...target }] },
      },
    },
    Outputs: { QueueUrl: { Value: { Ref: 'Queue' } }, BusName: { Value: { Ref: 'Bus' } } },
  });

  it('delivers the events that match a rule to its queue', async () => {
    const target = { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } };
    const { QueueUrl, BusName = '' } = (await start(rule({ source: ['parley'] }, target))).outputs;

    for (const Source of ['other', 'parley']) {
      emulators.buses.put({ EventBusName: BusName, Source, DetailType: 'a', Detail: '{"b":1}' });
    }
    await emulators.buses.delivered();

    const { Messages = [] } = await emulators.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    expect(Messages.map(({ Body = '' }) => JSON.parse(Body).source)).toEqual(['parley']);
    expect(emulators.buses.events(BusName).map(({ source }) => source)).toEqual(['other', 'parley']);
  });

  it.each([
    [
      'patterns',
      { source: [{ wildcard: '*' }] },
      {},
      'Rule (AWS::Events::Rule).EventPattern.source: the local run does not support this event pattern',
    ],
    [
      'targets',
      { source: ['a'] },
      { Arn: 'arn:aws:lambda:local:000000000000:function:f' },
      'only queues and API destinations are supported',
    ],
    [
      'properties of targets',
      { source: ['a'] },
      { InputPath: '$.detail' },
      'does not support the property Targets.0.InputPath',
    ],
  ])('rejects unsupported %s', async (_name, pattern, target, message) => {
    await expect(start(rule(pattern, { Arn: 'arn:aws:sqs:local:000000000000:q', ...target }))).rejects.toThrow(message);
  });
});

describe('the DynamoDB emulator', () => {
  it("includes the program's error output when it does not start", async () => {
    const starting = startDynamoDb(folder.path, { DYNOXIDE_BIN: process.execPath });

    await expect(starting).rejects.toThrow(/did not start: .*serve/s);
  });
});
