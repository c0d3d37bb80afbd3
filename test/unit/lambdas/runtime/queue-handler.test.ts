import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createQueueHandler, DONE, type MessageResult } from '../../../../lambdas/runtime/queue-handler.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { silentLog } from '../../../support/telemetry.ts';

const record = (messageId: string, group?: string): SQSRecord => ({
  ...sqsRecord('', { MessageGroupId: group }),
  messageId,
  receiptHandle: `handle-${messageId}`,
});

/** Runs a batch. Returns what was handled, what is retried, and the visibilities that were set. */
const run = async (
  records: readonly SQSRecord[],
  handle: (messageId: string, hasTime: () => boolean) => Promise<MessageResult> | MessageResult,
  remainingTimeMs = () => 60_000,
) => {
  const handled: string[] = [];
  const visibilities: [string, number][] = [];
  const handler = createQueueHandler({
    handleMessage: async ({ messageId }, hasTime) => {
      handled.push(messageId);
      return handle(messageId, hasTime);
    },
    setVisibility: async (receiptHandle, seconds) => {
      visibilities.push([receiptHandle, seconds]);
    },
    requiredTimeMs: 10_000,
    log: silentLog,
  });
  const { batchItemFailures } = await handler(
    { Records: [...records] },
    { getRemainingTimeInMillis: () => remainingTimeMs() },
  );
  return { handled, visibilities, retried: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
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
      setVisibility: () => Promise.reject(new Error('unreachable')),
      requiredTimeMs: 0,
      log: silentLog,
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

  it('starts no message when too little time is left, and makes all of them visible at once', async () => {
    const { handled, retried, visibilities } = await run(
      [record('1', 'a'), record('2', 'a')],
      () => DONE,
      () => 9_999,
    );
    expect({ handled, retried }).toEqual({ handled: [], retried: ['1', '2'] });
    expect(visibilities).toEqual([
      ['handle-1', 0],
      ['handle-2', 0],
    ]);
  });

  it('passes to the message handler whether the required time is left', async () => {
    const left = [60_000, 10_000, 9_999];
    const seen: boolean[] = [];
    await run(
      [record('1', 'a')],
      (_id, hasTime) => {
        seen.push(hasTime(), hasTime());
        return DONE;
      },
      () => left.shift() ?? 0,
    );
    expect(seen).toEqual([true, false]);
  });
});
