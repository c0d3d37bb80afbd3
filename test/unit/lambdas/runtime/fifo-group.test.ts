import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { receiveFloorMs } from '../../../../lambdas/domain/backoff.ts';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import {
  createQueueHandler,
  DONE,
  type MessageResult,
  type QueueHandlerOptions,
} from '../../../../lambdas/runtime/queue-handler.ts';
import { NOW } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { silentLog, silentMetrics } from '../../../support/telemetry.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_RECEIVES = 1_000;
const VISIBILITY_MS = 180_000;

interface QueuedMessage {
  readonly id: string;
  receives: number;
  visibleAtMs: number;
}

/** What happens to a message at a time since the start, in milliseconds. */
type Handle = (id: string, nowMs: number) => MessageResult | Promise<MessageResult>;

interface GroupOptions {
  readonly size?: number;
  readonly handleFailure?: (id: string, nowMs: number) => MessageResult | undefined;
  readonly untilMs?: number;
}

/**
 * Runs the queue handler on one message group of a FIFO queue as SQS delivers it: a receive takes up to ten of the
 * group's messages in order, each counts a receive, none is delivered while one is invisible, and the thousandth
 * receive is the last. Source:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
const runGroup = async (handle: Handle, { size = 12, handleFailure, untilMs = 30 * DAY_MS }: GroupOptions = {}) => {
  let nowMs = 0;
  const waiting: QueuedMessage[] = Array.from({ length: size }, (_, index) => ({
    id: `m${index}`,
    receives: 0,
    visibleAtMs: 0,
  }));
  const done: string[] = [];
  const deadLettered: { readonly id: string; readonly atMs: number }[] = [];
  const receiveAll = (): QueuedMessage[] => {
    const batch: QueuedMessage[] = [];
    while (batch.length < 10) {
      const next = waiting[batch.length];
      if (next === undefined) break;
      next.receives += 1;
      if (next.receives > MAX_RECEIVES) {
        waiting.splice(batch.length, 1);
        deadLettered.push({ id: next.id, atMs: nowMs });
        continue;
      }
      next.visibleAtMs = nowMs + VISIBILITY_MS;
      batch.push(next);
    }
    return batch;
  };
  const failed: QueueHandlerOptions['handleFailure'] = async ({ messageId }) => handleFailure?.(messageId, nowMs);
  const handler = createQueueHandler({
    handleMessage: async ({ messageId }) => handle(messageId, nowMs),
    handleFailure: failed,
    changeVisibility: async (changes) => {
      for (const { receiptHandle, seconds } of changes) {
        const message = waiting.find(({ id }) => id === receiptHandle);
        if (message) message.visibleAtMs = nowMs + seconds * 1000;
      }
    },
    minimumWaitMs: receiveFloorMs,
    clock: { now: () => addMs(NOW, nowMs) },
    requiredTimeMs: ms(63_000),
    log: silentLog,
    metrics: silentMetrics,
    ageMetric: undefined,
  });
  while (waiting.length > 0) {
    nowMs = Math.max(nowMs, ...waiting.map(({ visibleAtMs }) => visibleAtMs));
    if (nowMs > untilMs) break;
    const batch = receiveAll();
    const Records = batch.map(({ id, receives }) => ({
      ...sqsRecord('', { MessageGroupId: 'contact', ApproximateReceiveCount: String(receives) }),
      messageId: id,
      receiptHandle: id,
    }));
    const { batchItemFailures } = await handler({ Records }, { getRemainingTimeInMillis: () => 120_000 });
    const retried = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { id } of batch) {
      if (retried.has(id)) continue;
      const [message] = waiting.splice(
        waiting.findIndex((each) => each.id === id),
        1,
      );
      if (message) done.push(message.id);
    }
    nowMs += 1;
  }
  return { done, deadLettered, waiting, endedAtMs: nowMs };
};

const ids = (size: number) => Array.from({ length: size }, (_, index) => `m${index}`);
const fail = (): never => {
  throw new Error('broken');
};

describe('a message group', () => {
  it.each([3, 24, 9 * 24])('is processed completely and in order after %s hours without a table', async (hours) => {
    const { done, deadLettered, endedAtMs } = await runGroup((_id, nowMs) => (nowMs < hours * HOUR_MS ? fail() : DONE));
    expect({ done, deadLettered }).toEqual({ done: ids(12), deadLettered: [] });
    // The next attempt is never more than a quarter of an hour away.
    expect(endedAtMs).toBeLessThan((hours + 0.3) * HOUR_MS);
  });

  it('is delayed by a poison message for a day, and loses none of its other messages', async () => {
    const { done, deadLettered, endedAtMs } = await runGroup((id) => (id === 'm0' ? fail() : DONE), {
      handleFailure: (_id, nowMs) => (nowMs >= DAY_MS ? DONE : undefined),
    });
    expect({ done, deadLettered }).toEqual({ done: ids(12), deadLettered: [] });
    expect(endedAtMs).toBeLessThan(1.1 * DAY_MS);
  });

  it('is not delayed by the floor when the first retry after a long outage asks for a second', async () => {
    let isRetried = false;
    const { endedAtMs } = await runGroup((_id, nowMs) => {
      if (nowMs < 6 * HOUR_MS) return { kind: 'retry', afterMs: 10 * 60_000 };
      if (isRetried) return DONE;
      isRetried = true;
      return { kind: 'retry', afterMs: 1_000 };
    });
    expect(endedAtMs).toBeLessThan(6 * HOUR_MS + 11 * 60_000);
  });

  it('keeps all of its messages for ten days, whatever the waits of the first one', async () => {
    const waits = fc.infiniteStream(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 * 60_000 })));
    await fc.assert(
      fc.asyncProperty(waits, fc.integer({ min: 1, max: 15 }), async (afterMs, size) => {
        const { deadLettered, waiting } = await runGroup(
          () => ({ kind: 'retry', afterMs: afterMs.next().value ?? 0 }),
          { size, untilMs: 10 * DAY_MS },
        );
        expect(deadLettered).toEqual([]);
        expect(waiting).toHaveLength(size);
      }),
      { numRuns: 10 },
    );
  });
});
