import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { queueRows } from '../../../../cli/broadcast/queue-rows.ts';
import type { BroadcastState } from '../../../../cli/broadcast/state-file.ts';
import { createPacer } from '../../../../cli/operations/pacer.ts';

const template = {
  contactColumn: 'phone',
  columns: ['phone'],
  fields: { messageText: 'Hi' },
  broadcastId: 'b-1',
};
const START: BroadcastState = {
  broadcastId: 'b-1',
  requestPrefix: 'b-1',
  contentId: 'c-1',
  destination: 'q',
  rows: 25,
  done: 0,
  queued: 0,
  refused: {},
};

/** Queues 25 rows at 10 per second on a clock of its own, and notes when each chunk is queued. */
const queueAtPace = async (stop: AbortSignal, onSleep: () => void = () => {}) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'parley-pace-'));
  const file = join(folder.path, 'rows.csv');
  writeFileSync(file, `phone\n${Array.from({ length: 25 }, (_, row) => `+54911500${10_000 + row}`).join('\n')}\n`);
  let nowMs = 0;
  const chunks: [atMs: number, done: number][] = [];
  const pacer = createPacer({
    unitsPerSecond: 10,
    nowMs: () => nowMs,
    async sleep(ms, signal) {
      onSleep();
      signal?.throwIfAborted();
      nowMs += ms;
    },
  });
  const state = await queueRows(
    {
      csv: { file, delimiter: ',' },
      template,
      sqs: { send: async () => ({}) } as unknown as SQSClient,
      queueUrl: 'q',
      stop,
      pace: { rowsPerSecond: 10, pacer },
      save: async ({ done }) => {
        chunks.push([nowMs, done]);
      },
    },
    START,
  );
  return { state, chunks };
};

it('with a pace, queues no more than the rows of a second at once, and the next ones a second later', async () => {
  const { state, chunks } = await queueAtPace(new AbortController().signal);

  expect(chunks).toEqual([
    [0, 10],
    [1000, 20],
    [2000, 25],
  ]);
  expect(state).toMatchObject({ done: 25, queued: 25 });
});

it('that is stopped while it waits queues nothing more, and knows how far it got', async () => {
  const stop = new AbortController();
  const { state, chunks } = await queueAtPace(stop.signal, () => stop.abort());

  expect(chunks).toEqual([[0, 10]]);
  expect(state).toMatchObject({ done: 10, queued: 10 });
});
