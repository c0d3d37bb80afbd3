import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { CREDENTIALS, REGION } from '../../../../local/aws-environment.ts';
import { createMovableClock } from '../../../../local/clock.ts';
import { type StreamMappingDeclaration, startStreamMapping } from '../../../../local/event-sources/stream-mapping.ts';
import { eventually } from '../../../support/eventually.ts';
import { startFakeStream } from './fake-stream.ts';

const event = z.object({
  Records: z.array(z.looseObject({ dynamodb: z.looseObject({ SequenceNumber: z.string() }) })),
});

/** Starts a mapping of a fake stream to a function that records what it gets. */
const startMapping = async (changes: Partial<StreamMappingDeclaration> = {}) => {
  const stream = await startFakeStream();
  const sqs = new SQSClient({ region: REGION, credentials: CREDENTIALS });
  const received: string[] = [];
  const warnings: string[] = [];
  const start = () =>
    startStreamMapping(
      {
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
        reportsBatchItemFailures: true,
        maximumRetryAttempts: 0,
        maximumRecordAgeMs: undefined,
        ...changes,
      },
      {
        streams: stream.client,
        sqs,
        onFailureQueueUrl: undefined,
        functionArn: 'arn:aws:lambda:local:000000000000:function:fake',
        async invoke(payload) {
          const { Records } = event.parse(JSON.parse(payload));
          received.push(...Records.map(({ dynamodb }) => dynamodb.SequenceNumber));
          return { ok: true, payload: 'null' };
        },
        clock: createMovableClock(),
        warn: (message) => warnings.push(message),
      },
    );
  const run = () => {
    const mapping = start();
    onTestFinished(async () => {
      mapping.stop();
      await mapping.ended;
      sqs.destroy();
      await stream[Symbol.asyncDispose]();
    });
  };
  const untilReceived = (count: number) => eventually(() => (received.length >= count ? true : undefined));
  return { stream, received, warnings, run, untilReceived };
};

describe('an event source mapping of a stream', () => {
  it('reads a shard on after a failed read, and passes each record once', async () => {
    const { stream, received, warnings, run, untilReceived } = await startMapping();
    stream.add();
    run();
    await untilReceived(1);

    stream.fail('GetRecords', 'InternalServerError', 1);
    await eventually(() => (warnings.length > 0 ? true : undefined));
    stream.add();

    await untilReceived(2);
    expect(received).toEqual(['1', '2']);
    expect(warnings).toEqual([expect.stringContaining('Mapping: the stream did not answer')]);
  });

  it('starts at the last record read when the iterator has expired', async () => {
    const { stream, received, run, untilReceived } = await startMapping({ startingPosition: 'LATEST' });
    run();
    await eventually(() => (stream.calls.includes('GetRecords') ? true : undefined));
    stream.add();
    await untilReceived(1);

    stream.fail('GetRecords', 'ExpiredIteratorException', 1);
    await eventually(() => (stream.calls.filter((call) => call === 'GetShardIterator').length > 1 ? true : undefined));
    stream.add();

    await untilReceived(2);
    expect(received).toEqual(['1', '2']);
  });

  it.each(['DescribeStream', 'GetShardIterator'])('starts although the first %s fails', async (operation) => {
    const { stream, received, run, untilReceived } = await startMapping();
    stream.add();
    stream.fail(operation, 'InternalServerError', 1);

    run();

    await untilReceived(1);
    expect(received).toEqual(['1']);
  });
});
