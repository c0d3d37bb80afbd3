import { marshall } from '@aws-sdk/util-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { AwsServiceError } from '../../../../lambdas/adapters/aws-service-error.ts';
import { createDynamodbChangeReader } from '../../../../lambdas/adapters/dynamodb/change-reader.ts';
import { createDynamodbTurns } from '../../../../lambdas/adapters/dynamodb/turns.ts';
import type { SerializedEvent } from '../../../../lambdas/domain/events/serialize-event.ts';
import { redriveResponse } from '../../../../lambdas/manage/api/redrives.ts';
import { createRedriveTurns } from '../../../../lambdas/manage/turns/redrive-turns.ts';
import type { PublishResult, ReceivedDeadLetter } from '../../../../lambdas/ports.ts';
import { consentRegister } from '../../../../lambdas/table/consent-item.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage, OPERATOR } from './managed-stage.ts';

const tables = testTables();
const EARLIER = '2026-11-20T11:00:00.000Z';

let stage: ManagedStage;
let published: SerializedEvent[];
let bus: (event: SerializedEvent) => PublishResult;
/** By operation: the answer to every call, or a list of those to one call after the other. */
let streamAnswers: Record<string, unknown>;
let streamCalls: unknown[];
let queues: Record<'publishing' | 'targets', ReturnType<typeof createQueue>>;

type Letter = ReceivedDeadLetter<'publishing' | 'targets'>;

const createQueue = () => {
  const self = {
    letters: [] as Letter[],
    released: [] as string[],
    add(id: string, body: unknown, reason = 'why') {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      self.letters.push({ id, queue: 'targets', reason, body: text, since: EARLIER, receiptHandle: id });
    },
    receive: async () => self.letters.splice(0, 10),
    remove: async () => undefined,
    async release(letters: readonly { readonly receiptHandle: string }[]) {
      self.released.push(...letters.map(({ receiptHandle }) => receiptHandle));
    },
  };
  return self;
};

beforeEach(async () => {
  stage = await createManagedStage(tables);
  published = [];
  streamCalls = [];
  streamAnswers = {};
  bus = () => ({ kind: 'published' });
  queues = { publishing: createQueue(), targets: createQueue() };
  stage.republish = {
    bus: {
      async publish(events) {
        const results = events.map((event) => bus(event));
        published.push(...events.filter((_event, index) => results[index]?.kind === 'published'));
        return results;
      },
    },
    changes: createDynamodbChangeReader({
      table: stage.table,
      async streams(operation, input, parse) {
        streamCalls.push([operation, JSON.parse(input)]);
        const given = streamAnswers[operation];
        const answer = Array.isArray(given) ? given.shift() : given;
        if (answer instanceof Error) throw answer;
        return parse(JSON.stringify(answer));
      },
      clock: { now: () => NOW },
    }),
    turns: createRedriveTurns(createDynamodbTurns(stage.table)),
    content: false,
    ...queues,
  };
});

const redrive = async (queue: 'publishing' | 'targets', body: Record<string, unknown> = {}) => {
  const answer = await stage.call('redriveDeadLetters', { body: { queue, ...body } });
  expect(answer.status).toBe(200);
  return redriveResponse.parse(answer.body);
};

const eventOf = (id: string) => ({
  version: '0',
  id: 'envelope',
  'detail-type': 'ContactOptedOut',
  source: 'parley',
  account: '111122223333',
  time: '2026-11-20T10:00:00Z',
  region: 'eu-west-1',
  resources: [],
  detail: { id, at: '2026-11-20T10:00:00.000Z', source: 'form' },
});

const OPT_OUT = consentRegister({ kind: 'opt-out', origin: 'user' });

const optOut = (sequenceNumber: string, at = '2026-11-20T10:00:00.000Z') => ({
  eventID: sequenceNumber,
  eventName: 'INSERT',
  dynamodb: {
    ApproximateCreationDateTime: 1_795_168_800,
    Keys: { pk: { S: 'CONTACT#chat#*#5491150000001' }, sk: { S: 'CONSENT' } },
    NewImage: {
      pk: { S: 'CONTACT#chat#*#5491150000001' },
      sk: { S: 'CONSENT' },
      [OPT_OUT.at]: { S: at },
      [OPT_OUT.source]: { S: 'form' },
    },
    SequenceNumber: sequenceNumber,
    SizeBytes: 1,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
});

const rangeOf = (start: string, end: string, batchSize: number) => ({
  requestContext: { requestId: 'r', functionArn: 'f', condition: 'RecordAgeExceeded', approximateInvokeCount: 9 },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
  version: '1.0',
  timestamp: NOW,
  DDBStreamBatchInfo: {
    shardId: 'shard-1',
    startSequenceNumber: start,
    endSequenceNumber: end,
    approximateArrivalOfFirstRecord: NOW,
    approximateArrivalOfLastRecord: NOW,
    batchSize,
    streamArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/Parley/stream/1',
  },
});

describe('a redrive of what a target did not accept', () => {
  it('publishes the event again with the same ID, time, and detail, and records the caller', async () => {
    queues.targets.add('a', eventOf('event-1'));

    expect(await redrive('targets')).toEqual({ moved: 1, deleted: 0, left: 0, isComplete: true, before: NOW });

    expect(published).toEqual([
      {
        id: 'event-1',
        name: 'ContactOptedOut',
        at: '2026-11-20T10:00:00Z',
        detail: JSON.stringify(eventOf('event-1').detail),
      },
    ]);
    expect(Object(await stage.call('listAudit')).body.entries).toMatchObject([
      { action: 'redrive', queue: 'targets', caller: OPERATOR.arn },
    ]);
  });

  it('publishes an event once, although two targets did not accept it', async () => {
    queues.targets.add('a', eventOf('event-1'));
    queues.targets.add('b', eventOf('event-1'));

    expect(await redrive('targets')).toMatchObject({ moved: 2 });
    expect(published).toHaveLength(1);
  });

  it('leaves an event that the bus does not accept, and says why', async () => {
    bus = ({ id }) =>
      id === 'event-1' ? { kind: 'failed', code: 'X', reason: 'ThrottlingException' } : { kind: 'published' };
    queues.targets.add('a', eventOf('event-1'));
    queues.targets.add('b', eventOf('event-2'));

    expect(await redrive('targets')).toMatchObject({
      moved: 1,
      left: 1,
      isComplete: true,
      notRedriven: [{ id: 'a', why: expect.stringContaining('ThrottlingException') }],
    });
    expect(queues.targets.released).toEqual(['a']);
  });

  it.each([
    ['no JSON', '{'],
    ['an event of another system', { ...eventOf('event-1'), source: 'other' }],
  ])('leaves %s', async (_name, body) => {
    queues.targets.add('a', body);

    expect(await redrive('targets')).toMatchObject({ moved: 0, left: 1, notRedriven: [{ id: 'a' }] });
    expect(published).toEqual([]);
  });

  it('redrives only one', async () => {
    for (const id of ['a', 'b', 'c']) queues.targets.add(id, eventOf(`event-${id}`));

    expect(await redrive('targets', { deadLetterId: 'b' })).toMatchObject({ moved: 1, isComplete: true });
    expect(published.map(({ id }) => id)).toEqual(['event-b']);
    expect(queues.targets.released).toEqual(['a', 'c']);
  });
});

describe('a redrive of a turn', () => {
  const CONTACT = { platform: 'chat', channel: '*', key: '541155550000' };
  const OPEN = { contact: CONTACT, firstMessageId: 'message-1', startedAt: NOW, messageCount: 1 };
  const KEY = { pk: 'CONTACT#chat#*#541155550000', sk: 'TURN' };
  const TURN = {
    ...KEY,
    firstMessageId: 'message-1',
    startedAt: NOW,
    messageIds: new Set(['message-1']),
    messageCount: 1,
  };
  const recordOf = (eventName: string, images: object) => ({
    reason: 'UNREADABLE',
    sequenceNumber: '1',
    record: { eventName, dynamodb: { ApproximateCreationDateTime: 1_795_168_800, SequenceNumber: '1', ...images } },
  });
  const isOpen = async () => Object.keys(await stage.items()).some((name) => name.endsWith(' TURN'));

  beforeEach(async () => {
    await stage.receive(wireMessage());
    await stage.table.update({
      key: KEY,
      set: { firstMessageId: 'message-1', startedAt: NOW, messageIds: new Set(['message-1']), messageCount: 1 },
    });
  });

  it.each([
    ['SQS gave up on', OPEN],
    ['could not be put on the turn queue', recordOf('INSERT', { NewImage: marshall(TURN) })],
    ['was too large for the queue', { reason: 'REFUSED', sequenceNumber: '1', keys: marshall(KEY) }],
  ])('ends one that %s, which publishes it', async (_what, body) => {
    queues.publishing.add('turn', body);
    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });
    expect(await isOpen()).toBe(false);
    expect(published).toEqual([]);
  });

  it('leaves one open to which a message was added since', async () => {
    queues.publishing.add('turn', { ...OPEN, messageCount: 2 });
    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });
    expect(await isOpen()).toBe(true);
  });

  it('publishes one that has ended', async () => {
    queues.publishing.add('turn', recordOf('REMOVE', { OldImage: marshall(TURN) }));
    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });
    expect(published.map(({ name, detail }) => [name, JSON.parse(detail).messages])).toEqual([
      ['TurnEnded', [{ messageId: 'message-1', at: '2026-11-20T11:00:00.000Z' }]],
    ]);
  });
});

describe('a redrive of changes that were not published', () => {
  const idsOf = () => published.map(({ name, id }) => `${name} ${id}`);
  const publishRecord = async () => {
    queues.publishing.add('record', { reason: 'REFUSED', sequenceNumber: '1', record: optOut('1') });
    await redrive('publishing');
    return published.splice(0).map(({ name, id }) => `${name} ${id}`);
  };

  it('publishes the events of a record', async () => {
    expect(await publishRecord()).toEqual([expect.stringMatching(/^ContactOptedOut .{32}$/)]);
  });

  it('publishes the events of the item, if the record was too large for the queue, with the same IDs', async () => {
    const expected = await publishRecord();
    const { pk, sk } = { pk: 'CONTACT#chat#*#5491150000001', sk: 'CONSENT' };
    await stage.table.update({
      key: { pk, sk },
      set: { [OPT_OUT.at]: '2026-11-20T10:00:00.000Z', [OPT_OUT.source]: 'form' },
    });
    queues.publishing.add('key', { reason: 'REFUSED', sequenceNumber: '1', keys: { pk: { S: pk }, sk: { S: sk } } });

    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });
    expect(idsOf()).toEqual(expected);
  });

  it('publishes nothing if the item is gone', async () => {
    queues.publishing.add('key', { reason: 'REFUSED', keys: { pk: { S: 'SEND#r' }, sk: { S: 'SEND' } } });

    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });
    expect(published).toEqual([]);
  });

  it("publishes the events of a range of the table's stream", async () => {
    const records = ['100', '101', '102', '103'].map((number, index) =>
      optOut(number, `2026-11-20T1${index}:00:00.000Z`),
    );
    streamAnswers = {
      GetShardIterator: { ShardIterator: 'iterator-1' },
      GetRecords: { Records: records, NextShardIterator: 'iterator-2' },
    };
    queues.publishing.add('range', rangeOf('100', '102', 3));

    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });

    expect(published.map(({ detail }) => JSON.parse(detail).at)).toEqual([
      '2026-11-20T10:00:00.000Z',
      '2026-11-20T11:00:00.000Z',
      '2026-11-20T12:00:00.000Z',
    ]);
    expect(streamCalls[0]).toEqual([
      'GetShardIterator',
      {
        StreamArn: 'arn:aws:dynamodb:eu-west-1:111122223333:table/Parley/stream/1',
        ShardId: 'shard-1',
        ShardIteratorType: 'AT_SEQUENCE_NUMBER',
        SequenceNumber: '100',
      },
    ]);
  });

  it('reads a range to its end, although the stream answers with no records in between', async () => {
    streamAnswers = {
      GetShardIterator: { ShardIterator: 'iterator-1' },
      GetRecords: [
        { Records: [optOut('100')], NextShardIterator: 'iterator-2' },
        { Records: [], NextShardIterator: 'iterator-3' },
        { Records: [optOut('101', '2026-11-20T11:00:00.000Z')], NextShardIterator: 'iterator-4' },
      ],
    };
    queues.publishing.add('range', rangeOf('100', '101', 2));

    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 0 });
    expect(published).toHaveLength(2);
  });

  it.each([
    ['ends', null],
    ['returns no more records', 'iterator-2'],
  ])('leaves a range if the shard %s before the end of the range', async (_case, NextShardIterator) => {
    streamAnswers = {
      GetShardIterator: { ShardIterator: 'iterator-1' },
      GetRecords: { Records: [], NextShardIterator },
    };
    queues.publishing.add('range', rangeOf('100', '102', 3));

    expect(await redrive('publishing')).toMatchObject({
      moved: 0,
      left: 1,
      notRedriven: [{ id: 'range', why: expect.stringContaining('only some') }],
    });
  });

  it('leaves a range that the stream no longer has, and says what to do', async () => {
    const trimmed =
      '{"__type":"com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException","message":"beyond the trim"}';
    streamAnswers = { GetShardIterator: new AwsServiceError(400, 'id', trimmed) };
    queues.publishing.add('range', rangeOf('100', '102', 3));

    expect(await redrive('publishing')).toMatchObject({
      moved: 0,
      left: 1,
      notRedriven: [{ id: 'range', why: expect.stringContaining('24 hours') }],
    });
  });

  it('leaves a range with a record that cannot be read, after it published the others', async () => {
    const bad = { ...optOut('101'), dynamodb: { ...optOut('101').dynamodb, NewImage: { pk: { X: 1 } } } };
    streamAnswers = {
      GetShardIterator: { ShardIterator: 'iterator-1' },
      GetRecords: { Records: [optOut('100'), bad], NextShardIterator: null },
    };
    queues.publishing.add('range', rangeOf('100', '101', 2));

    expect(await redrive('publishing')).toMatchObject({ moved: 0, left: 1 });
    expect(published).toHaveLength(1);
  });

  it('publishes an event that EventBridge could not encrypt', async () => {
    queues.publishing.add('event', eventOf('event-1'));

    expect(await redrive('publishing')).toMatchObject({ moved: 1 });
    expect(idsOf()).toEqual(['ContactOptedOut event-1']);
  });

  it('leaves a record that still cannot be read, and redrives the others', async () => {
    queues.publishing.add('bad', { reason: 'UNREADABLE', record: { dynamodb: { NewImage: { pk: { X: 1 } } } } });
    queues.publishing.add('good', { reason: 'REFUSED', sequenceNumber: '1', record: optOut('1') });

    expect(await redrive('publishing')).toMatchObject({ moved: 1, left: 1, notRedriven: [{ id: 'bad' }] });
    expect(published).toHaveLength(1);
  });
});

it.each(['publishing', 'targets'])('a stack without a publisher has no dead letters of %s', async (queue) => {
  stage.republish = undefined;

  expect(await stage.call('redriveDeadLetters', { body: { queue } })).toMatchObject({
    status: 404,
    body: { code: 'QUEUE_NOT_FOUND' },
  });
});
