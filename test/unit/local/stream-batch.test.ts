import { describe, expect, it } from 'vitest';
import { discardedBatchMessage } from '../../../local/event-source/discarded-batch.ts';
import {
  type DiscardedBatch,
  type StreamBatchRules,
  workThroughBatch,
} from '../../../local/event-source/stream-batch.ts';
import type { StreamRecord } from '../../../local/event-source/stream-event.ts';

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

/** Works through records with a function that answers as told, batch by batch. */
const work = async (
  records: readonly StreamRecord[],
  answer: (numbers: readonly string[], invocation: number) => unknown,
  rules: Partial<StreamBatchRules> = {},
) => {
  const batches: string[] = [];
  const discarded: DiscardedBatch[] = [];
  await workThroughBatch(
    records,
    {
      bisectsOnError: true,
      reportsBatchItemFailures: true,
      maximumRetryAttempts: 2,
      maximumRecordAgeMs: undefined,
      ...rules,
    },
    {
      async invoke(event) {
        const { Records }: { Records: StreamRecord[] } = JSON.parse(event);
        const numbers = Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
        batches.push(numbers.join(','));
        try {
          return { ok: true, payload: JSON.stringify(answer(numbers, batches.length) ?? null) };
        } catch (error) {
          return { ok: false, error: { errorType: 'Error', errorMessage: String(error) } };
        }
      },
      now: () => new Date(NOW),
      stopped: new AbortController().signal,
      discard: async (batch) => void discarded.push(batch),
    },
  );
  const given = discarded.map(({ records: of, condition }) => [
    condition,
    of.map(({ dynamodb }) => dynamodb.SequenceNumber).join(','),
  ]);
  return { batches, given, discarded };
};
const fail = (itemIdentifier: string | undefined) => ({ batchItemFailures: [{ itemIdentifier }] });
const failOn = (bad: string) => (numbers: readonly string[]) => {
  if (numbers.includes(bad)) throw new Error('poison');
};
const four = [1, 2, 3, 4].map((number) => record(number));

describe('a batch of a stream', () => {
  it('that succeeds is done', async () => {
    expect(await work(four, () => null)).toMatchObject({ batches: ['1,2,3,4'], given: [] });
  });

  it('goes on from the first record that is reported as failed', async () => {
    const { batches } = await work(four, (_numbers, invocation) => (invocation === 1 ? fail('3') : null));

    expect(batches).toEqual(['1,2,3,4', '3,4']);
  });

  it('that fails as a whole is halved until the bad record stands alone; only that is given up', async () => {
    const { batches, given } = await work(four, failOn('3'));

    expect(batches).toEqual(['1,2,3,4', '1,2', '3,4', '3', '3', '3', '4']);
    expect(given).toEqual([['RetryAttemptsExhausted', '3']]);
  });

  it('is repeated as a whole where the mapping does not bisect, and given up as a whole', async () => {
    const { batches, given } = await work(four, failOn('3'), { bisectsOnError: false, maximumRetryAttempts: 1 });

    expect(batches).toEqual(['1,2,3,4', '1,2,3,4']);
    expect(given).toEqual([['RetryAttemptsExhausted', '1,2,3,4']]);
  });

  it('counts no report where the mapping declares none', async () => {
    const { batches } = await work(four, () => fail('1'), { reportsBatchItemFailures: false });

    expect(batches).toEqual(['1,2,3,4']);
  });

  it('is repeated without end where the mapping names none', async () => {
    const { batches, given } = await work([record(1)], (_numbers, invocation) => (invocation < 5 ? fail('1') : null), {
      maximumRetryAttempts: undefined,
    });

    expect([batches.length, given]).toEqual([5, []]);
  });

  it('gives up its records that are too old, and hands over the others', async () => {
    const { batches, given } = await work([record(1, 90), record(2, 30)], () => null, { maximumRecordAgeMs: 60_000 });

    expect(batches).toEqual(['2']);
    expect(given).toEqual([['RecordAgeExceeded', '1']]);
  });
});

describe('the on-failure message', () => {
  it('says in the documented form where the records stand', async () => {
    const { discarded } = await work([record(7)], failOn('7'), { maximumRetryAttempts: 0 });
    const [batch] = discarded;
    if (batch === undefined) throw new Error('The record was given up.');
    const [functionArn, streamArn, shardId] = ['function-arn', 'stream-arn', 'shard-1'];

    expect(discardedBatchMessage(batch, { functionArn, streamArn, shardId, now: new Date(NOW) })).toEqual({
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
