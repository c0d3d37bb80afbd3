import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createQueueHandler, type MessageResult } from '../../../lambdas/queue-handler.ts';
import { silentLog, silentMetrics } from '../../support/silent.ts';

const record = (messageId: string, group?: string): SQSRecord => ({
  messageId,
  receiptHandle: `handle-${messageId}`,
  body: '',
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1',
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: '1',
    MessageGroupId: group,
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queue.fifo',
  awsRegion: 'us-east-1',
});

/** Runs a batch; answers what was handled, what must come again, and the visibilities that were set. */
const run = async (
  records: readonly SQSRecord[],
  handle: (messageId: string) => Promise<MessageResult> | MessageResult,
  remainingMs = 60_000,
) => {
  const handled: string[] = [];
  const visibilities: [string, number][] = [];
  const handler = createQueueHandler({
    handleMessage: async ({ messageId }) => {
      handled.push(messageId);
      return handle(messageId);
    },
    setVisibility: async (receiptHandle, seconds) => {
      visibilities.push([receiptHandle, seconds]);
    },
    enoughTimeMs: 10_000,
    log: silentLog,
    metrics: silentMetrics,
  });
  const { batchItemFailures } = await handler(
    { Records: [...records] },
    { getRemainingTimeInMillis: () => remainingMs },
  );
  return { handled, visibilities, again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
};

const DONE: MessageResult = { kind: 'done' };

describe('a batch', () => {
  it('that is done has no failures', async () => {
    expect(await run([record('1', 'a'), record('2', 'b')], () => DONE)).toMatchObject({ again: [] });
  });

  it('holds a group behind the message that must come again, and no other group', async () => {
    const batch = [record('a1', 'a'), record('b1', 'b'), record('a2', 'a'), record('b2', 'b'), record('a3', 'a')];
    const { handled, again } = await run(batch, (id) => (id === 'a2' ? { kind: 'again' } : DONE));
    expect(again).toEqual(['a2', 'a3']);
    expect(handled.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('sets when the message may come again, and gives those behind it back at once', async () => {
    const batch = [record('1', 'a'), record('2', 'a'), record('3', 'a')];
    const { visibilities } = await run(batch, () => ({ kind: 'again', afterMs: 1_500 }));
    expect(visibilities).toEqual([
      ['handle-1', 2],
      ['handle-2', 0],
      ['handle-3', 0],
    ]);
  });

  it('takes a message whose handling throws for one that must come again', async () => {
    const { again } = await run([record('1', 'a'), record('2', 'b')], (id) => {
      if (id === '1') throw new Error('broken');
      return DONE;
    });
    expect(again).toEqual(['1']);
  });

  it('handles the messages of a group one after another, groups side by side', async () => {
    const order: string[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await run([record('a1', 'a'), record('a2', 'a'), record('b1', 'b')], async (id) => {
      order.push(`${id} begins`);
      if (id === 'a1') await released;
      if (id === 'b1') release();
      order.push(`${id} ends`);
      return DONE;
    });
    expect(order).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends']);
  });

  it('takes messages without a group, of a standard queue, each by itself', async () => {
    const { again } = await run([record('1'), record('2')], (id) => (id === '1' ? { kind: 'again' } : DONE));
    expect(again).toEqual(['1']);
  });

  it('begins nothing with too little of the invocation’s time left', async () => {
    const { handled, again } = await run([record('1', 'a'), record('2', 'a')], () => DONE, 9_999);
    expect({ handled, again }).toEqual({ handled: [], again: ['1', '2'] });
  });
});
