import { describe, expect, it } from 'vitest';
import {
  type DiscardedBatch,
  discardedBatchMessage,
  processBatch,
  type StreamBatchRules,
} from '../../../../local/event-sources/stream-batch.ts';
import type { StreamRecord } from '../../../../local/event-sources/stream-records.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

const record = (number: number, ageSeconds = 0): StreamRecord => ({
  eventName: 'INSERT',
  eventSourceARN: 'arn:aws:dynamodb:local:000000000000:table/t/stream/s',
  dynamodb: {
    ApproximateCreationDateTime: NOW / 1000 - ageSeconds,
    Keys: { pk: { S: String(number) } },
    SequenceNumber: String(number),
  },
});

/** Processes records with a function that responds as given; returns the batches and what was discarded. */
const processWith = async (
  records: readonly StreamRecord[],
  respond: (numbers: readonly string[], invocation: number) => unknown,
  rules: Partial<StreamBatchRules> = {},
) => {
  const batches: string[] = [];
  const discarded: DiscardedBatch[] = [];
  await processBatch(
    records,
    {
      bisectsOnError: true,
      reportsBatchItemFailures: true,
      maximumRetryAttempts: 2,
      maximumRecordAgeMs: undefined,
      ...rules,
    },
    {
      async invoke(invoked) {
        const numbers = invoked.map(({ dynamodb }) => dynamodb.SequenceNumber);
        batches.push(numbers.join(','));
        try {
          return { ok: true, payload: JSON.stringify(respond(numbers, batches.length) ?? null) };
        } catch (error) {
          return { ok: false, error: { errorType: 'Error', errorMessage: String(error) } };
        }
      },
      now: () => new Date(NOW),
      stopped: new AbortController().signal,
      discard: async (batch) => void discarded.push(batch),
    },
  );
  const discards = discarded.map(({ records: of, condition }) => [
    condition,
    of.map(({ dynamodb }) => dynamodb.SequenceNumber).join(','),
  ]);
  return { batches, discards, discarded };
};
const fail = (itemIdentifier: string | undefined) => ({ batchItemFailures: [{ itemIdentifier }] });
const failOn = (bad: string) => (numbers: readonly string[]) => {
  if (numbers.includes(bad)) throw new Error('poison');
};
const four = [1, 2, 3, 4].map((number) => record(number));

describe('a batch of stream records', () => {
  it('is invoked once if it succeeds', async () => {
    expect(await processWith(four, () => null)).toMatchObject({ batches: ['1,2,3,4'], discards: [] });
  });

  it('is retried from the first record that is reported as failed', async () => {
    const { batches } = await processWith(four, (_numbers, invocation) => (invocation === 1 ? fail('3') : null));

    expect(batches).toEqual(['1,2,3,4', '3,4']);
  });

  it('is halved until the bad record is isolated, and only that record is discarded', async () => {
    const { batches, discards } = await processWith(four, failOn('3'));

    expect(batches).toEqual(['1,2,3,4', '1,2', '3,4', '3', '3', '3', '4']);
    expect(discards).toEqual([['RetryAttemptsExhausted', '3']]);
  });

  it('is retried and discarded as a whole if the mapping does not bisect', async () => {
    const { batches, discards } = await processWith(four, failOn('3'), {
      bisectsOnError: false,
      maximumRetryAttempts: 1,
    });

    expect(batches).toEqual(['1,2,3,4', '1,2,3,4']);
    expect(discards).toEqual([['RetryAttemptsExhausted', '1,2,3,4']]);
  });

  it('ignores reported failures if the mapping does not declare ReportBatchItemFailures', async () => {
    const { batches } = await processWith(four, () => fail('1'), { reportsBatchItemFailures: false });

    expect(batches).toEqual(['1,2,3,4']);
  });

  it('is retried without limit if the mapping sets none', async () => {
    const { batches, discards } = await processWith(
      [record(1)],
      (_numbers, invocation) => (invocation < 5 ? fail('1') : null),
      {
        maximumRetryAttempts: undefined,
      },
    );

    expect([batches.length, discards]).toEqual([5, []]);
  });

  it('discards the records that are too old and passes on the others', async () => {
    const { batches, discards } = await processWith([record(1, 90), record(2, 30)], () => null, {
      maximumRecordAgeMs: 60_000,
    });

    expect(batches).toEqual(['2']);
    expect(discards).toEqual([['RecordAgeExceeded', '1']]);
  });
});

describe('the on-failure message', () => {
  it('has the documented form and names the position of the records', async () => {
    const { discarded } = await processWith([record(7)], failOn('7'), { maximumRetryAttempts: 0 });
    const [batch] = discarded;
    if (batch === undefined) throw new Error('The record was not discarded.');
    const [functionArn, streamArn, shardId] = ['function-arn', 'stream-arn', 'shard-1'];

    expect(discardedBatchMessage(batch, { functionArn, streamArn, shardId }, new Date(NOW))).toEqual({
      requestContext: {
        requestId: expect.any(String),
        functionArn,
        condition: 'RetryAttemptsExhausted',
        approximateInvokeCount: 1,
      },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      version: '1.0',
      timestamp: '2026-11-20T12:00:00.000Z',
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: '7',
        endSequenceNumber: '7',
        approximateArrivalOfFirstRecord: '2026-11-20T12:00:00Z',
        approximateArrivalOfLastRecord: '2026-11-20T12:00:00Z',
        batchSize: 1,
        streamArn,
      },
    });
  });
});
