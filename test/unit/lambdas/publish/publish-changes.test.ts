import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DamagedItemError } from '../../../../lambdas/domain/errors.ts';
import { itemEvents } from '../../../../lambdas/domain/events/item-events.ts';
import type { SerializedEvent } from '../../../../lambdas/domain/events/serialize-event.ts';
import type { EventBus, PublishResult } from '../../../../lambdas/ports.ts';
import {
  type ChangeRecord,
  createPublishChanges,
  type HandleChange,
} from '../../../../lambdas/publish/publish-changes.ts';
import { CHANGE_CONCURRENCY } from '../../../../lambdas/runtime/concurrency.ts';
import { recordingLog, recordingMetrics } from '../../../support/telemetry.ts';
import { change } from '../domain/events/changes.ts';

const record = (number: number): ChangeRecord => ({
  sequenceNumber: String(number),
  record: { number },
  readChange: () => change({ id: `message-${number}` }),
});
const unreadable = (number: number): ChangeRecord => ({
  ...record(number),
  readChange: () => {
    throw new DamagedItemError('unknown format');
  },
});

/** Publishes to a bus that answers by message id and by how often that message's event was published. */
const publish = async (
  records: readonly ChangeRecord[],
  answer: (messageId: string, attempt: number) => PublishResult = () => ({ kind: 'published' }),
  {
    deadLettersFail = false,
    hasTime = () => true,
    publishTurn,
  }: { deadLettersFail?: boolean; hasTime?: () => boolean; publishTurn?: HandleChange } = {},
) => {
  const calls: string[][] = [];
  const deadLettered: string[] = [];
  const pauses: number[] = [];
  const metrics = recordingMetrics();
  const log = recordingLog();
  const messageOf = ({ detail }: SerializedEvent): string => JSON.parse(detail).messageId;
  const bus: EventBus = {
    async publish(events) {
      const messages = events.map(messageOf);
      calls.push(messages);
      return messages.map((id) => answer(id, calls.flat().filter((other) => other === id).length));
    },
  };
  const publishChanges = createPublishChanges({
    bus,
    deadLetters: {
      async put({ sequenceNumber }, reason) {
        if (deadLettersFail) throw new Error('unreachable');
        deadLettered.push(`${sequenceNumber} ${reason}`);
      },
    },
    sleep: async (ms) => void pauses.push(ms),
    randomness: { newId: () => '', random: () => 0.5 },
    log,
    metrics,
    content: true,
    handlers: publishTurn && { turn: publishTurn },
  });
  const retried = await publishChanges(records, hasTime);
  return { retried, calls, deadLettered, pauses, counted: metrics.counted, logged: log.logged };
};

const FAILED: PublishResult = { kind: 'failed', code: 'ThrottlingException', reason: 'ThrottlingException: slow' };
const DENIED: PublishResult = {
  kind: 'failed',
  code: 'AccessDeniedException',
  reason: 'AccessDeniedException: User is not authorized to perform events:PutEvents',
};

describe('publishing changes', () => {
  it('publishes the events of all changes in one call', async () => {
    const { retried, calls, counted } = await publish([record(1), record(2)]);

    expect([retried, calls]).toEqual([[], [['message-1', 'message-2']]]);
    expect(counted).toEqual([]);
  });

  const turn: ChangeRecord = { ...record(2), readChange: () => change({ kind: 'turn' }) };

  it('retries a change of a turn that can neither be queued nor read, first by itself, and publishes the others', async () => {
    let calls = 0;
    const publishTurn = () => {
      calls += 1;
      return Promise.reject(new Error('The queue is unavailable.'));
    };
    const result = await publish([record(1), turn, record(3)], undefined, { publishTurn });

    expect(result).toMatchObject({ retried: ['2'], calls: [['message-1', 'message-3']], deadLettered: [] });
    expect([calls, result.pauses]).toEqual([3, [150, 300]]);
  });

  it('handles only a few turns at a time, because their messages can be large', async () => {
    const running = { now: 0, most: 0 };
    const publishTurn: HandleChange = async () => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await setImmediate();
      running.now -= 1;
      return [];
    };
    await publish(Array(20).fill(turn), undefined, { publishTurn });
    expect(running.most).toBe(CHANGE_CONCURRENCY);
  });

  it('lets Lambda retry the turns that it has no time for', async () => {
    let calls = 0;
    const publishTurn = () => {
      calls += 1;
      return Promise.reject(new Error('The queue is unavailable.'));
    };
    const turns = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ ...turn, sequenceNumber: String(number) }));
    const { retried, pauses } = await publish(turns, undefined, { publishTurn, hasTime: () => calls < 5 });

    expect(retried).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect([calls, pauses]).toEqual([5, []]);
  });

  it('dead-letters a change of a turn that no retry can fix', async () => {
    const publishTurn = () => Promise.reject(new DamagedItemError('unknown format'));
    const { retried, deadLettered } = await publish([turn], undefined, { publishTurn });

    expect([retried, deadLettered]).toEqual([[], ['2 UNREADABLE: ERR_DAMAGED_ITEM: unknown format']]);
  });

  it('publishes the events of a turn, and ignores turns in a stage without them', async () => {
    const publishTurn: HandleChange = async () => itemEvents(change({ id: 'turn' }));

    expect(await publish([turn], undefined, { publishTurn })).toMatchObject({ retried: [], calls: [['turn']] });
    expect(await publish([turn])).toMatchObject({ retried: [], calls: [], deadLettered: [] });
  });

  it('does not call the bus for changes that are not published', async () => {
    const { retried, calls } = await publish([{ ...record(1), readChange: () => undefined }]);

    expect([retried, calls]).toEqual([[], []]);
  });

  it('retries only failed events, with growing pauses', async () => {
    const { retried, calls, pauses, counted } = await publish([1, 2, 3].map(record), (id, attempt) =>
      id === 'message-2' && attempt < 4 ? FAILED : { kind: 'published' },
    );

    expect(calls).toEqual([['message-1', 'message-2', 'message-3'], ['message-2'], ['message-2'], ['message-2']]);
    expect(pauses).toEqual([150, 300, 600]);
    expect(retried).toEqual([]);
    expect(counted.filter((name) => name === 'PublishRetried')).toHaveLength(3);
  });

  it('returns the records whose events still fail after five attempts, in the order of the stream', async () => {
    const { retried, calls, counted } = await publish([1, 2, 3].map(record), (id) =>
      id === 'message-2' ? { kind: 'published' } : FAILED,
    );

    expect(retried).toEqual(['1', '3']);
    expect(calls).toHaveLength(5);
    expect(counted).toContain('PublishFailed');
  });

  it('logs why the bus did not accept events: how many per error code, at each attempt, without their content', async () => {
    const { logged } = await publish([1, 2, 3, 4].map(record), (id, attempt) => {
      if (id === 'message-1') return attempt === 1 ? FAILED : { kind: 'published' };
      if (id === 'message-2') return { kind: 'refused', code: 'MalformedDetail', reason: 'MalformedDetail: bad' };
      return DENIED;
    });

    const refusals = logged.filter(([, message]) => message === 'event bus refused events');
    expect(refusals).toEqual([
      [
        'warn',
        'event bus refused events',
        { events: 4, errors: { ThrottlingException: 1, MalformedDetail: 1, AccessDeniedException: 2 } },
      ],
      ...Array.from({ length: 4 }, () => [
        'warn',
        'event bus refused events',
        { events: expect.any(Number), errors: { AccessDeniedException: 2 } },
      ]),
    ]);
    expect(JSON.stringify(refusals)).not.toContain('not authorized');
  });

  it('starts no attempt without enough time', async () => {
    const { retried, calls } = await publish([record(1)], () => FAILED, { hasTime: () => false });

    expect([retried, calls]).toEqual([['1'], []]);
  });

  it('dead-letters a change whose event the bus refuses, and continues', async () => {
    const { retried, deadLettered } = await publish([1, 2].map(record), (id) =>
      id === 'message-1'
        ? { kind: 'refused', code: 'MalformedDetail', reason: 'MalformedDetail: Detail is malformed.' }
        : { kind: 'published' },
    );

    expect(retried).toEqual([]);
    expect(deadLettered).toEqual([expect.stringMatching(/^1 REFUSED: MessageReceived .*MalformedDetail/)]);
  });

  it('dead-letters a change that cannot be read, and continues', async () => {
    const { retried, calls, deadLettered, counted } = await publish([unreadable(1), record(2)]);

    expect([retried, calls]).toEqual([[], [['message-2']]]);
    expect(deadLettered).toEqual(['1 UNREADABLE: ERR_DAMAGED_ITEM: unknown format']);
    expect(counted).toEqual(['ChangeDeadLettered']);
  });

  it('returns a change that can be neither published nor dead-lettered', async () => {
    const { retried } = await publish([unreadable(1), record(2)], undefined, { deadLettersFail: true });

    expect(retried).toEqual(['1']);
  });
});
