import { ExpiredIteratorException } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { RunningMapping } from '../../../../local/event-sources/queue-mapping.ts';
import { type StreamMappingDeclaration, startStreamMapping } from '../../../../local/event-sources/stream-mapping.ts';
import type { InvocationResult } from '../../../../local/functions/invocation.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeStreams } from './fake-streams.ts';

const DECLARATION: StreamMappingDeclaration = {
  logicalId: 'Mapping',
  streamArn: 'arn:aws:dynamodb:local:000000000000:table/t/stream/s',
  functionNameOrArn: 'fake',
  startingPosition: 'TRIM_HORIZON',
  batchSize: 10,
  batchingWindowMs: 0,
  parallelizationFactor: 1,
  filters: undefined,
  onFailureQueueArn: undefined,
  bisectsOnError: false,
  reportsBatchItemFailures: false,
  maximumRetryAttempts: undefined,
  maximumRecordAgeMs: undefined,
};

const running: RunningMapping[] = [];
afterEach(async () => {
  for (const mapping of running) mapping.stop();
  await Promise.all(running.splice(0).map(({ ended }) => ended));
});

/** Starts a mapping to a function that responds as given; `batches` holds the sequence numbers of each invocation. */
const start = (
  streams: ReturnType<typeof fakeStreams>,
  changes: Partial<StreamMappingDeclaration> = {},
  respond: (invocation: number) => InvocationResult = () => ({ ok: true, payload: 'null' }),
  sendToQueue: (messageBody: string) => void = () => undefined,
  clock = createMovableClock(),
) => {
  const batches: string[][] = [];
  const warnings: string[] = [];
  const sqs = Object.assign(new SQSClient({ region: REGION, credentials: CREDENTIALS }), {
    send: async (command: { input: { MessageBody: string } }) => sendToQueue(command.input.MessageBody),
  });
  const mapping = startStreamMapping(
    { ...DECLARATION, ...changes },
    {
      streams: streams.client,
      sqs,
      onFailureQueueUrl: 'http://127.0.0.1:9/000000000000/failures',
      functionArn: 'fake',
      async invoke(event) {
        const { Records }: { Records: { dynamodb: { SequenceNumber: string } }[] } = JSON.parse(event);
        batches.push(Records.map(({ dynamodb }) => dynamodb.SequenceNumber));
        return respond(batches.length);
      },
      clock,
      warn: (message) => warnings.push(message),
    },
  );
  running.push(mapping);
  const untilProcessed = (count: number) => eventually(() => (batches.flat().length >= count ? batches : undefined));
  return { batches, warnings, untilProcessed };
};

describe('an event source mapping of a stream', () => {
  it('reads on after a failed read, without repeating or skipping a record', async () => {
    const streams = fakeStreams({ a: [['1'], new Error('socket hang up'), ['2'], 'open'] });

    const { untilProcessed, warnings } = start(streams);

    expect(await untilProcessed(2)).toEqual([['1'], ['2']]);
    expect(warnings).toEqual(['Mapping: the stream did not respond (socket hang up). Retrying in a second.']);
  });

  it('continues behind the last record that it read when its iterator has expired', async () => {
    const expired = new ExpiredIteratorException({ message: 'expired', $metadata: {} });
    const streams = fakeStreams({ a: [['1'], expired, ['2'], 'open'] });

    await start(streams).untilProcessed(2);

    expect(streams.calls.iterators).toMatchObject([
      { ShardIteratorType: 'TRIM_HORIZON' },
      { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: '1' },
    ]);
  });

  it('keeps the records that wait in the batching window while a read fails', async () => {
    const streams = fakeStreams({ a: [['1'], new Error('socket hang up'), ['2'], 'open'] });

    const { untilProcessed } = start(streams, { batchSize: 2, batchingWindowMs: 60_000 });

    expect(await untilProcessed(2)).toEqual([['1', '2']]);
  });

  it('processes records before the end of the batching window if they fill an invocation', async () => {
    const large = '9'.repeat(1_200_000);

    // Each record contains its number three times.
    const { untilProcessed } = start(fakeStreams({ a: [['1'], [large], [large], 'open'] }), {
      batchingWindowMs: 60_000,
    });

    expect((await untilProcessed(3)).map((batch) => batch.length)).toEqual([2, 1]);
  });

  it('starts no batching window for records that the filters leave out', async () => {
    const filters = [(record: unknown) => !JSON.stringify(record).includes('"left out"')];
    const streams = fakeStreams({ a: [['left out'], ['1', 'left out', '2'], 'open'] });

    const { untilProcessed } = start(streams, { batchSize: 2, batchingWindowMs: 60_000, filters });

    expect(await untilProcessed(2)).toEqual([['1', '2']]);
  });

  it('does not discard records as too old because the clock moves within the batching window', async () => {
    const clock = createMovableClock();
    const streams = fakeStreams({ a: [['1'], ['2'], 'open'] }, { at: clock.now() });
    const moved = new Promise<void>((resolve) => clock.onMove(async () => resolve()));
    const filters = [
      (record: unknown) => {
        // Between the reads.
        if (JSON.stringify(record).includes('"1"')) setImmediate(() => void clock.advance(25 * 60 * 60 * 1000));
        return true;
      },
    ];

    const { untilProcessed, warnings } = start(
      streams,
      { batchSize: 2, batchingWindowMs: 60_000, maximumRecordAgeMs: 12 * 60 * 60 * 1000, filters },
      undefined,
      undefined,
      clock,
    );
    await moved;

    expect(await untilProcessed(2)).toEqual([['1', '2']]);
    expect(warnings).toEqual([]);
  });

  it('processes the records of a shard that ends within the batching window', async () => {
    const { untilProcessed } = start(fakeStreams({ a: [['1']] }), { batchingWindowMs: 60_000 });

    expect(await untilProcessed(1)).toEqual([['1']]);
  });

  it('does not look for new shards in a loop after one of its shards has ended', async () => {
    const streams = fakeStreams({ ended: [['1']], alive: [['2'], [], [], [], 'open'] });

    await start(streams).untilProcessed(2);
    await eventually(() => (streams.calls.describes > 1 ? true : undefined));
    // Turns of the event loop, in each of which the loop would describe the stream.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);

    expect(streams.calls.describes).toBe(2);
  });

  it('sends the message about a discarded batch until the on-failure queue accepts it, then reads on', async () => {
    const sent: string[] = [];
    let attempts = 0;

    const { untilProcessed, warnings } = start(
      fakeStreams({ a: [['1'], ['2'], 'open'] }),
      { maximumRetryAttempts: 0 },
      (invocation) =>
        invocation === 1
          ? { ok: false, error: { errorType: 'Error', errorMessage: 'bad' } }
          : { ok: true, payload: 'null' },
      (body) => {
        attempts += 1;
        if (attempts === 1) throw new Error('queue unavailable');
        sent.push(body);
      },
    );

    expect(await untilProcessed(2)).toEqual([['1'], ['2']]);
    expect(sent.map((body) => JSON.parse(body))).toMatchObject([
      { requestContext: { condition: 'RetryAttemptsExhausted' }, DDBStreamBatchInfo: { startSequenceNumber: '1' } },
    ]);
    expect(warnings).toContain(
      'Mapping: the on-failure queue did not respond (queue unavailable). Retrying in a second.',
    );
  });
});
