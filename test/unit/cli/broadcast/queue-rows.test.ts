import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { queueRows } from '../../../../cli/broadcast/queue-rows.ts';
import { createPacer } from '../../../../cli/operations/pacer.ts';

async function* requests() {
  for (let number = 2; number <= 26; number += 1) {
    const request = { requestId: `b-1-${number}`, platformContactId: `+54911500${10_000 + number}`, messageText: 'Hi' };
    yield { number, request };
  }
}

/** Queues 25 rows at 10 per second on a clock of its own, and notes when each chunk is queued. */
const queueAtPace = async (stop: AbortSignal, onSleep: () => void = () => {}) => {
  let nowMs = 0;
  const chunks: [atMs: number, queued: number][] = [];
  const pacer = createPacer({
    unitsPerSecond: 10,
    nowMs: () => nowMs,
    async sleep(ms, signal) {
      onSleep();
      signal?.throwIfAborted();
      nowMs += ms;
    },
  });
  const queued = await queueRows(
    {
      sqs: { send: async () => ({}) } as unknown as SQSClient,
      queueUrl: 'q',
      broadcastId: 'b-1',
      stop,
      pace: { rowsPerSecond: 10, pacer },
      onQueued: (count) => chunks.push([nowMs, count]),
    },
    requests(),
  );
  return { queued, chunks };
};

it('with a pace, queues no more than the rows of a second at once, and the next ones a second later', async () => {
  const { queued, chunks } = await queueAtPace(new AbortController().signal);

  expect(chunks).toEqual([
    [0, 10],
    [1000, 20],
    [2000, 25],
  ]);
  expect(queued).toBe(25);
});

it('that is stopped while it waits queues nothing more, and knows how far it got', async () => {
  const stop = new AbortController();
  const { queued, chunks } = await queueAtPace(stop.signal, () => stop.abort());

  expect(chunks).toEqual([[0, 10]]);
  expect(queued).toBe(10);
});
