import { describe, expect, it } from 'vitest';
import type { WrittenEvent } from '../../../../lambdas/domain/telling/written-event.ts';
import type { EventBus, PutResult } from '../../../../lambdas/ports.ts';
import { createPublishChanges, type StreamedRecord } from '../../../../lambdas/publish/publish-changes.ts';
import { createStreamHandler } from '../../../../lambdas/publish/stream-handler.ts';
import { countingMetrics, silentLog } from '../../../support/silent.ts';
import { change } from '../domain/telling/changes.ts';

const record = (number: number): StreamedRecord => ({
  sequenceNumber: String(number),
  record: { number },
  readChange: () => change({ id: `message-${number}`, key: `message-${number}` }),
});
const unreadable = (number: number): StreamedRecord => ({
  ...record(number),
  readChange: () => {
    throw new Error('of another time');
  },
});

/** Publishes over a bus that answers as told: for an event's message id and the how-manieth time that it is put. */
const publish = async (
  records: readonly StreamedRecord[],
  answer: (messageId: string, time: number) => PutResult = () => ({ kind: 'taken' }),
  { untoldFails = false, enoughTime = true } = {},
) => {
  const put: string[][] = [];
  const untold: string[] = [];
  const pauses: number[] = [];
  const metrics = countingMetrics();
  const messageOf = ({ detail }: WrittenEvent): string => JSON.parse(detail).messageId;
  const bus: EventBus = {
    async put(events) {
      const messages = events.map(messageOf);
      put.push(messages);
      return messages.map((id) => answer(id, put.flat().filter((other) => other === id).length));
    },
  };
  const publishChanges = createPublishChanges({
    bus,
    untold: {
      async put({ sequenceNumber }, reason) {
        if (untoldFails) throw new Error('out of reach');
        untold.push(`${sequenceNumber} ${reason}`);
      },
    },
    pause: async (ms) => void pauses.push(ms),
    randomness: { newId: () => '', fraction: () => 0.5 },
    log: silentLog,
    metrics,
    content: true,
  });
  const failed = await publishChanges(records, () => enoughTime);
  return { failed, put, untold, pauses, counted: metrics.counted };
};

const FAILED: PutResult = { kind: 'failed', reason: 'ThrottlingException' };

describe('publishing', () => {
  it('puts what the changes are worth, and nothing failed', async () => {
    const { failed, put } = await publish([record(1), record(2)]);

    expect([failed, put]).toEqual([[], [['message-1', 'message-2']]]);
  });

  it('puts again only what was not taken, after a pause that grows', async () => {
    const { failed, put, pauses } = await publish([1, 2, 3].map(record), (id, time) =>
      id === 'message-2' && time < 4 ? FAILED : { kind: 'taken' },
    );

    expect(put).toEqual([['message-1', 'message-2', 'message-3'], ['message-2'], ['message-2'], ['message-2']]);
    expect(pauses).toEqual([150, 300, 600]);
    expect(failed).toEqual([]);
  });

  it('reports the records of what is not taken in the end, in the stream’s order', async () => {
    const { failed, put, counted } = await publish([1, 2, 3].map(record), (id) =>
      id === 'message-2' ? { kind: 'taken' } : FAILED,
    );

    expect(failed).toEqual(['1', '3']);
    expect(put).toHaveLength(5);
    expect(counted).toContain('TellingFailed');
  });

  it('begins no further round without time for it', async () => {
    const { failed, put } = await publish([record(1)], () => FAILED, { enoughTime: false });

    expect([failed, put]).toEqual([['1'], []]);
  });

  it('sets aside what the bus will never take, and goes on', async () => {
    const { failed, untold } = await publish([1, 2].map(record), (id) =>
      id === 'message-1' ? { kind: 'refused', reason: 'MalformedDetail' } : { kind: 'taken' },
    );

    expect(failed).toEqual([]);
    expect(untold).toEqual([expect.stringMatching(/^1 REFUSED: MessageReceived .*MalformedDetail/)]);
  });

  it('sets aside what cannot be read, and goes on', async () => {
    const { failed, put, untold, counted } = await publish([unreadable(1), record(2)]);

    expect([failed, put]).toEqual([[], [['message-2']]]);
    expect(untold).toEqual(['1 UNREADABLE: of another time']);
    expect(counted).toEqual(expect.arrayContaining(['ChangeUntold', 'EventTold']));
  });

  it('reports what can be neither told nor set aside', async () => {
    const { failed } = await publish([unreadable(1), record(2)], undefined, { untoldFails: true });

    expect(failed).toEqual(['1']);
  });
});

describe('the stream’s handler', () => {
  it('answers with the sequence numbers that failed, as Lambda asks for them', async () => {
    const handler = createStreamHandler<number>({
      readRecord: record,
      publishChanges: async (records) => records.slice(1).map(({ sequenceNumber }) => sequenceNumber),
      enoughTimeMs: 1,
      metrics: countingMetrics(),
    });

    const answer = await handler({ Records: [1, 2, 3] }, { getRemainingTimeInMillis: () => 1000 });

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }] });
  });
});
