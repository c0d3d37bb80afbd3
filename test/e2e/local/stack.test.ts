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
import { createMovableClock } from '../../../local/clock/movable-clock.ts';
import { type Closers, createClosers } from '../../../local/closers.ts';
import { startDynamoDb } from '../../../local/emulators/dynamodb.ts';
import { type Emulators, startEmulators } from '../../../local/emulators/emulators.ts';
import { createRunFolder, type RunFolder } from '../../../local/emulators/memory-folder.ts';
import { startStack } from '../../../local/stack.ts';
import { parseTemplate } from '../../../local/template/template.ts';
import { eventually } from '../../support/eventually.ts';
import { writeBundle } from '../../unit/local/fake-function.ts';
import { stackFixture } from './stack-fixture.ts';

// What came from the queue is kept in a file: the next event may meet another process of the function.
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
const shared = createClosers();
let emulators: Emulators;
let folder: RunFolder;
let closers: Closers;
let stacks = 0;

beforeAll(async () => {
  folder = await createRunFolder();
  shared.add(folder.remove);
  emulators = await startEmulators(folder.path, clock, shared);
  await writeBundle(join(folder.path, 'bundle'), BUNDLE);
});
afterAll(() => shared.close());
beforeEach(() => {
  closers = createClosers();
});
afterEach(() => closers.close());

const start = (template: unknown) => {
  stacks += 1;
  return startStack({
    stackName: `Test-${stacks}`,
    template: parseTemplate(template),
    assetFolder: folder.path,
    folder: folder.path,
    emulators,
    clock,
    logs: { folder: join(folder.path, 'logs') },
    warn: () => undefined,
    closers,
  });
};

describe('a stack', () => {
  it('runs its function behind its API and its queue, with the names of what it made', async () => {
    const { outputs, functions } = await start(stackFixture());
    const { Url = '', QueueUrl = '', TableName = '', SecretId = '' } = outputs;
    await emulators.sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody: 'queued', MessageGroupId: 'g', MessageDeduplicationId: 'd' }),
    );

    const answer = await eventually(async () => {
      const body: unknown = await (await fetch(Url, { method: 'POST' })).json();
      return Object(body).queued === '' ? undefined : body;
    });

    expect(answer).toEqual({ queued: 'queued', table: TableName, queue: QueueUrl, secret: SecretId });
    expect(Url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhook$/);
    expect(emulators.secrets.find(SecretId)?.versions[0]?.secretString).toHaveLength(12);
    expect([...functions.keys()]).toEqual(['Function']);
  });

  it('makes table and queues as declared', async () => {
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
      'a type that it does not know',
      { Bucket: { Type: 'AWS::S3::Bucket' } },
      'Bucket (AWS::S3::Bucket): the local run does not know this resource type',
    ],
    [
      'a property that it does not know',
      { Queue: { Type: 'AWS::SQS::Queue', Properties: { Colour: 'red' } } },
      'Queue (AWS::SQS::Queue): the local run does not know the property Colour',
    ],
    [
      'a nested property that it does not know',
      {
        Queue: {
          Type: 'AWS::SQS::Queue',
          Properties: { RedrivePolicy: { deadLetterTargetArn: 'a', maxReceiveCount: 1, x: 1 } },
        },
      },
      'the property RedrivePolicy.x',
    ],
    [
      'a value that it cannot stand in for',
      { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'a', ProtocolType: 'WEBSOCKET' } } },
      'Api (AWS::ApiGatewayV2::Api): the local run cannot stand in for this ProtocolType: only HTTP APIs are known',
    ],
    [
      'an intrinsic that it does not know',
      { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::ImportValue': 'x' } } } },
      'Queue (AWS::SQS::Queue).QueueName: the local run does not know the intrinsic function Fn::ImportValue',
    ],
    [
      'a function of another runtime',
      {
        F: {
          Type: 'AWS::Lambda::Function',
          Properties: { Code: { S3Bucket: 'a', S3Key: 'b' }, Handler: 'i.h', Runtime: 'python3.13' },
        },
      },
      'F (AWS::Lambda::Function): the local run cannot stand in for this Runtime: only nodejs24.x is known',
    ],
    [
      'a function without its code',
      {
        F: {
          Type: 'AWS::Lambda::Function',
          Properties: { Code: { S3Bucket: 'a', S3Key: 'b' }, Handler: 'i.h', Runtime: 'nodejs24.x' },
        },
      },
      'F (AWS::Lambda::Function): Code is no asset',
    ],
  ])('refuses %s', async (_name, Resources, sentence) => {
    await expect(start({ Resources })).rejects.toThrow(sentence);
  });

  it('leaves out resources whose condition does not hold', async () => {
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
      if (Records.some(({ dynamodb }) => dynamodb.Keys.pk.S === 'poison')) throw new Error('poison');
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
      Untold: { Type: 'AWS::SQS::Queue' },
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
          DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Untold', 'Arn'] } } },
          EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
          FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT","MODIFY"]}' }] },
          FunctionName: { Ref: 'Function' },
          MaximumRetryAttempts: 0,
          StartingPosition: 'TRIM_HORIZON',
        },
      },
    },
    Outputs: { TableName: { Value: { Ref: 'Table' } }, UntoldUrl: { Value: { Ref: 'Untold' } } },
  });

  it('hands a table’s changes to its function in order, and a bad one’s place to the on-failure queue', async () => {
    await writeBundle(join(folder.path, 'stream-bundle'), STREAM_BUNDLE);
    const file = join(folder.path, 'streamed');
    const { TableName, UntoldUrl } = (await start(streamTemplate(file))).outputs;
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
    const { Messages = [] } = await emulators.sqs.send(new ReceiveMessageCommand({ QueueUrl: UntoldUrl }));
    expect(JSON.parse(Messages[0]?.Body ?? '')).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { batchSize: 1, startSequenceNumber: '2', endSequenceNumber: '2' },
    });
  });

  const rule = (pattern: object, target: object) => ({
    Resources: {
      Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: `bus-${stacks}` } },
      Queue: { Type: 'AWS::SQS::Queue' },
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: { EventBusName: { Ref: 'Bus' }, EventPattern: pattern, Targets: [{ Id: 'a', ...target }] },
      },
    },
    Outputs: { QueueUrl: { Value: { Ref: 'Queue' } }, BusName: { Value: { Ref: 'Bus' } } },
  });

  it('puts on a rule’s queue what fits its pattern', async () => {
    const target = { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } };
    const { QueueUrl, BusName = '' } = (await start(rule({ source: ['parley'] }, target))).outputs;

    for (const Source of ['other', 'parley']) {
      emulators.buses.put({ EventBusName: BusName, Source, DetailType: 'a', Detail: '{"b":1}' });
    }
    await emulators.buses.settled();

    const { Messages = [] } = await emulators.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    expect(Messages.map(({ Body = '' }) => JSON.parse(Body).source)).toEqual(['parley']);
    expect(emulators.buses.events(BusName).map(({ source }) => source)).toEqual(['other', 'parley']);
  });

  it.each([
    [
      'a pattern',
      { source: [{ wildcard: '*' }] },
      {},
      'Rule (AWS::Events::Rule).EventPattern.source: the local run does not know this event pattern',
    ],
    [
      'a target',
      { source: ['a'] },
      { Arn: 'arn:aws:lambda:local:000000000000:function:f' },
      'only queues and API destinations are known',
    ],
    [
      'a property of a target',
      { source: ['a'] },
      { InputPath: '$.detail' },
      'does not know the property Targets.0.InputPath',
    ],
  ])('refuses %s that it does not know', async (_name, pattern, target, sentence) => {
    await expect(start(rule(pattern, { Arn: 'arn:aws:sqs:local:000000000000:q', ...target }))).rejects.toThrow(
      sentence,
    );
  });
});

describe('the DynamoDB emulator', () => {
  it('says what to do when DYNOXIDE_BIN names nothing', async () => {
    const starting = startDynamoDb(folder.path, { DYNOXIDE_BIN: '/nowhere/dynoxide' });

    await expect(starting).rejects.toThrow(
      'DYNOXIDE_BIN names /nowhere/dynoxide, which is not there or cannot be run; set it to the path of a dynoxide binary.',
    );
  });

  it('says what the program says when it does not start', async () => {
    const starting = startDynamoDb(folder.path, { DYNOXIDE_BIN: process.execPath });

    await expect(starting).rejects.toThrow(/does not start: .*serve/s);
  });
});
