import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { receiveFloorMs } from '../../../../lambdas/domain/backoff.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { addMs, type Instant } from '../../../../lambdas/domain/instant.ts';
import {
  createQueueHandler,
  DONE,
  type MessageResult,
  type QueueHandlerOptions,
} from '../../../../lambdas/runtime/queue-handler.ts';
import { NOW } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { recordingMetrics, silentLog, silentMetrics } from '../../../support/telemetry.ts';

const record = (messageId: string, group?: string, attributes: Partial<SQSRecord['attributes']> = {}): SQSRecord => ({
  ...sqsRecord('', { MessageGroupId: group, ...attributes }),
  messageId,
  receiptHandle: `handle-${messageId}`,
});

interface RunOptions {
  readonly remainingTimeMs?: number;
  /** The current time, which a test may advance. @default {@link NOW} */
  readonly now?: () => Instant;
  readonly handleFailure?: QueueHandlerOptions['handleFailure'];
}

/** Runs a batch. Returns what was handled, what is retried, and the visibilities that were set, by call. */
const run = async (
  records: readonly SQSRecord[],
  handle: (messageId: string, endBy: Instant) => Promise<MessageResult> | MessageResult,
  { remainingTimeMs = 60_000, now = () => NOW, handleFailure }: RunOptions = {},
) => {
  const handled: string[] = [];
  const visibilityCalls: [string, number][][] = [];
  const handler = createQueueHandler({
    handleMessage: async ({ messageId }, endBy) => {
      handled.push(messageId);
      return handle(messageId, endBy);
    },
    handleFailure,
    changeVisibility: async (changes) => {
      visibilityCalls.push(changes.map(({ receiptHandle, seconds }) => [receiptHandle, seconds]));
    },
    minimumWaitMs: receiveFloorMs,
    clock: { now },
    requiredTimeMs: ms(10_000),
    log: silentLog,
    metrics: silentMetrics,
    ageMetric: undefined,
  });
  const { batchItemFailures } = await handler(
    { Records: [...records] },
    { getRemainingTimeInMillis: () => remainingTimeMs },
  );
  const retried = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return { handled, visibilityCalls, visibilities: visibilityCalls.flat(), retried };
};

describe('the queue handler', () => {
  it('reports no failures when every message is done', async () => {
    expect(await run([record('1', 'a'), record('2', 'b')], () => DONE)).toMatchObject({ retried: [] });
  });

  it('retries a message and those behind it in its group, and no other group', async () => {
    const batch = [record('a1', 'a'), record('b1', 'b'), record('a2', 'a'), record('b2', 'b'), record('a3', 'a')];
    const { handled, retried } = await run(batch, (id) => (id === 'a2' ? { kind: 'retry' } : DONE));
    expect(retried).toEqual(['a2', 'a3']);
    expect(handled.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('reports the age of the oldest message that it retries, and nothing if it retries none', async () => {
    const metrics = recordingMetrics();
    const handle = (result: MessageResult) =>
      createQueueHandler({
        handleMessage: async () => result,
        handleFailure: undefined,
        minimumWaitMs: () => 0,
        changeVisibility: async () => undefined,
        clock: { now: () => NOW },
        requiredTimeMs: ms(0),
        log: silentLog,
        metrics,
        ageMetric: 'RetriedMessageAge',
      })(
        { Records: [60, 700, 5].map((age, index) => aged(String(index), age)) },
        { getRemainingTimeInMillis: () => 60_000 },
      );
    const aged = (id: string, seconds: number) =>
      record(id, undefined, { SentTimestamp: String(Date.parse(NOW) - seconds * 1000) });

    await handle(DONE);
    expect(metrics.samples).toEqual([]);
    await handle({ kind: 'retry', afterMs: 0 });
    expect(metrics.samples).toMatchObject([{ name: 'RetriedMessageAge', value: 700 }]);
  });

  it('delays the retried message and makes those behind it visible at once', async () => {
    const batch = [record('1', 'a'), record('2', 'a'), record('3', 'a')];
    const { visibilities } = await run(batch, () => ({ kind: 'retry', afterMs: 1_500 }));
    expect(visibilities).toEqual([
      ['handle-1', 2],
      ['handle-2', 0],
      ['handle-3', 0],
    ]);
  });

  it('leaves the visibility timeout alone when the retry has no delay', async () => {
    const { visibilities, retried } = await run([record('1', 'a'), record('2', 'a')], () => ({ kind: 'retry' }));
    expect({ visibilities, retried }).toEqual({ visibilities: [], retried: ['1', '2'] });
  });

  it('retries a message whose handler throws, after ten seconds', async () => {
    const { retried, visibilities } = await run([record('1', 'a'), record('2', 'b')], (id) => {
      if (id === '1') throw new Error('broken');
      return DONE;
    });
    expect(retried).toEqual(['1']);
    expect(visibilities).toEqual([['handle-1', 10]]);
  });

  it('retries a message even if its visibility cannot be set', async () => {
    const handler = createQueueHandler({
      handleMessage: async () => ({ kind: 'retry', afterMs: 1_000 }),
      handleFailure: undefined,
      minimumWaitMs: () => 0,
      changeVisibility: () => Promise.reject(new Error('unreachable')),
      clock: { now: () => NOW },
      requiredTimeMs: ms(0),
      log: silentLog,
      metrics: silentMetrics,
      ageMetric: undefined,
    });
    const answer = await handler({ Records: [record('1', 'a')] }, { getRemainingTimeInMillis: () => 60_000 });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  });

  it('handles the messages of a group one after another, and groups concurrently', async () => {
    const order: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await run([record('a1', 'a'), record('a2', 'a'), record('b1', 'b')], async (id) => {
      order.push(`${id} starts`);
      if (id === 'a1') await released;
      if (id === 'b1') release();
      order.push(`${id} ends`);
      return DONE;
    });
    expect(order).toEqual(['a1 starts', 'b1 starts', 'b1 ends', 'a1 ends', 'a2 starts', 'a2 ends']);
  });

  it('treats messages without a group, as in a standard queue, as groups of their own', async () => {
    const { retried } = await run([record('1'), record('2')], (id) => (id === '1' ? { kind: 'retry' } : DONE));
    expect(retried).toEqual(['1']);
  });

  it('starts no message with too little of the invocation left, and makes all visible at once', async () => {
    const { handled, retried, visibilities } = await run([record('1', 'a'), record('2', 'a')], () => DONE, {
      remainingTimeMs: 9_999,
    });
    expect({ handled, retried }).toEqual({ handled: [], retried: ['1', '2'] });
    expect(visibilities).toEqual([
      ['handle-1', 0],
      ['handle-2', 0],
    ]);
  });

  it('starts messages only while the required time is left', async () => {
    let now: Instant = NOW;
    const { handled, retried } = await run(
      [record('1', 'a'), record('2', 'a'), record('3', 'a')],
      () => {
        now = addMs(now, 25_001);
        return DONE;
      },
      { now: () => now },
    );
    expect({ handled, retried }).toEqual({ handled: ['1', '2'], retried: ['3'] });
  });

  it('gives the message handler a deadline one second before the invocation ends', async () => {
    const seen: Instant[] = [];
    await run([record('1', 'a')], (_id, endBy) => {
      seen.push(endBy);
      return DONE;
    });
    expect(seen).toEqual([addMs(NOW, 59_000)]);
  });

  it('changes the visibility of a whole group in one call', async () => {
    const group = Array.from({ length: 10 }, (_, index) => record(String(index), 'a'));
    const { visibilityCalls } = await run(group, () => ({ kind: 'retry', afterMs: 1_000 }));
    expect(visibilityCalls.map((changes) => changes.length)).toEqual([10]);
  });
});

describe('a message that cannot be processed', () => {
  const fail = () => {
    throw new Error('broken');
  };

  it('is deleted if its failure handler decides to, and the messages behind it are handled', async () => {
    const { handled, retried } = await run([record('1', 'a'), record('2', 'a')], (id) => (id === '1' ? fail() : DONE), {
      handleFailure: async () => DONE,
    });
    expect({ handled, retried }).toEqual({ handled: ['1', '2'], retried: [] });
  });

  it('is retried if its failure handler makes no decision or fails', async () => {
    const handlers = [async () => undefined, () => Promise.reject(new Error('table unavailable'))];
    for (const handleFailure of handlers) {
      const { retried, visibilities } = await run([record('1', 'a')], fail, { handleFailure });
      expect({ retried, visibilities }).toEqual({ retried: ['1'], visibilities: [['handle-1', 10]] });
    }
  });
});

describe('the receives of a message', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const received = (id: string, count: number, ageMs: number) =>
    record(id, 'a', {
      ApproximateReceiveCount: String(count),
      SentTimestamp: String(Date.parse(NOW) - ageMs),
    });

  const floorSeconds = (count: number) => Math.ceil(receiveFloorMs(count, 0) / 1000);

  it('set a floor under the wait, whatever the cause of the retry', async () => {
    const poison = received('1', 100, 0);
    const causes = [
      () => ({ kind: 'retry', afterMs: 1_000 }) as const,
      () => {
        throw new Error('broken');
      },
    ];
    expect(floorSeconds(100)).toBeGreaterThanOrEqual(900);
    for (const cause of causes) {
      expect((await run([poison], cause)).visibilities).toEqual([['handle-1', floorSeconds(100)]]);
    }
    const [[, seconds] = []] = (await run([received('1', 41, 60_000)], () => ({ kind: 'retry', afterMs: 1_000 })))
      .visibilities;
    expect(seconds).toBe(floorSeconds(41) - 60);
  });

  it('set no floor for a message that has used few receives for its age', async () => {
    const old = received('1', 500, 10 * DAY_MS);
    expect((await run([old], () => ({ kind: 'retry', afterMs: 1_000 }))).visibilities).toEqual([['handle-1', 1]]);
  });

  it('set a floor for the whole group, including the messages behind the first', async () => {
    const group = [received('1', 1, 0), received('2', 41, 0)];
    const { visibilities } = await run(group, () => ({ kind: 'retry', afterMs: 1_000 }));
    expect(visibilities).toEqual([
      ['handle-1', floorSeconds(41)],
      ['handle-2', 0],
    ]);
  });
});
