import { describe, expect, it } from 'vitest';
import { seconds } from '../../../../../lambdas/domain/duration.ts';
import { MAX_TURN_MESSAGES, type OpenTurn, type TurnMessage } from '../../../../../lambdas/domain/turns/turn.ts';
import { createTurnQueueHandler } from '../../../../../lambdas/publish/turns/end-turn.ts';
import { createPublishTurn } from '../../../../../lambdas/publish/turns/publish-turn.ts';
import { NOW, USER } from '../../../../support/builders.ts';
import { sqsRecord } from '../../../../support/sqs-record.ts';
import { recordingLog, silentMetrics } from '../../../../support/telemetry.ts';
import { changeBy, type Write } from '../../domain/events/changes.ts';

const CONTACT = { platform: 'chat', channel: '*', key: '541155550000' };
const STARTED = '2026-11-20T11:59:50.000Z';
const turnOf = (ids: readonly string[]) => ({
  firstMessageId: 'a',
  startedAt: STARTED,
  messageIds: new Set(ids),
  messageCount: ids.length,
});
const turnChange = (write: Write) => changeBy({ kind: 'turn', ...write });

const stored = (id: string, second: number, text: string): TurnMessage => ({
  id,
  createdAt: `2026-11-20T11:59:0${second}.000Z`,
  body: JSON.stringify({ _id_: id, FROM: USER, MESSAGE: text }),
  traceparent: `trace of ${id}`,
});

const createSituation = (messages: readonly TurnMessage[] = []) => {
  const queued: [turn: OpenTurn, delaySeconds: number][] = [];
  const publishTurn = createPublishTurn({
    queue: { put: async (turn, delaySeconds) => void queued.push([turn, delaySeconds]) },
    turns: {
      async *readMessages({ messageIds }) {
        yield* messages.filter(({ id }) => messageIds.includes(id));
      },
    },
    silenceSeconds: seconds(8),
  });
  return { queued, publishTurn };
};

describe('a change of a turn', () => {
  it('puts the turn on the queue for as long as the user must be silent', async () => {
    const { queued, publishTurn } = createSituation();
    expect(await publishTurn(turnChange({ before: turnOf(['a']), after: turnOf(['a', 'b']) }))).toEqual([]);
    expect(queued).toEqual([[{ contact: CONTACT, firstMessageId: 'a', startedAt: STARTED, messageCount: 2 }, 8]]);
  });

  it('puts a full turn on the queue without a delay', async () => {
    const { queued, publishTurn } = createSituation();
    const ids = Array.from({ length: MAX_TURN_MESSAGES }, (_, index) => (index === 0 ? 'a' : `b${index}`));
    await publishTurn(turnChange({ after: turnOf(ids) }));
    await publishTurn(turnChange({ after: turnOf(ids.slice(1)) }));
    expect(queued.map(([, delaySeconds]) => delaySeconds)).toEqual([0, 8]);
  });

  it('publishes the messages of a turn that has ended, ordered by time', async () => {
    const { queued, publishTurn } = createSituation([
      stored('c', 2, 'Where is it?'),
      stored('b', 1, 'My parcel.'),
      stored('a', 1, 'Hi!'),
    ]);
    expect(await publishTurn(turnChange({ before: turnOf(['a', 'b', 'c']) }))).toEqual([
      {
        name: 'TurnEnded',
        detail: {
          id: expect.stringMatching(/^[\w-]{32}$/),
          traceparent: 'trace of c',
          contact: CONTACT,
          at: NOW,
          platformContactId: USER,
          messages: [
            { messageId: 'a', at: '2026-11-20T11:59:01.000Z' },
            { messageId: 'b', at: '2026-11-20T11:59:01.000Z' },
            { messageId: 'c', at: '2026-11-20T11:59:02.000Z' },
          ],
          content: {
            messages: [
              { messageId: 'a', text: 'Hi!' },
              { messageId: 'b', text: 'My parcel.' },
              { messageId: 'c', text: 'Where is it?' },
            ],
          },
        },
      },
    ]);
    expect(queued).toEqual([]);
  });

  it('has the same event ID whenever it is published, and a different one than a later turn', async () => {
    const { publishTurn } = createSituation([stored('a', 1, 'Hi!')]);
    const idOf = async (before: object) =>
      (await publishTurn(turnChange({ before: { ...turnOf(['a']), ...before } })))[0]?.detail.id;
    expect(await idOf({})).toBe(await idOf({ messageIds: new Set(['a', 'b']) }));
    // The first message was erased, and delivered again.
    expect(await idOf({})).not.toBe(await idOf({ startedAt: '2026-11-21T11:59:50.000Z' }));
  });

  it('leaves out texts for which an event has no room', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `m${index}`);
    const detailOf = async (characters: number) => {
      const { publishTurn } = createSituation(ids.map((id) => stored(id, 1, 'x'.repeat(characters))));
      return (await publishTurn(turnChange({ before: turnOf(ids) })))[0]?.detail;
    };
    expect(await detailOf(2_000)).not.toHaveProperty('truncated');
    expect(await detailOf(3_000)).toMatchObject({
      truncated: true,
      content: { messages: expect.arrayContaining([{ messageId: 'm99', text: `${'x'.repeat(1_000)}…` }]) },
    });
  });

  it('leaves out messages that were erased meanwhile, and publishes nothing if all were', async () => {
    const ended = turnChange({ before: turnOf(['a', 'b']) });
    const [event] = await createSituation([stored('b', 1, 'Hi!')]).publishTurn(ended);
    expect(event?.detail).toMatchObject({ messages: [{ messageId: 'b' }] });
    expect(await createSituation().publishTurn(ended)).toEqual([]);
  });
});

describe('a message of the turn queue', () => {
  const OPEN: OpenTurn = { contact: CONTACT, firstMessageId: 'a', startedAt: STARTED, messageCount: 2 };

  const handle = async (body: string, fails = false) => {
    const ended: OpenTurn[] = [];
    const log = recordingLog();
    const handler = createTurnQueueHandler({
      turns: {
        async end(turn) {
          if (fails) throw new Error('The table is unavailable.');
          return ended.push(turn) > 0;
        },
      },
      changeVisibility: async () => undefined,
      metrics: silentMetrics,
      clock: { now: () => NOW },
      log,
    });
    const record = sqsRecord(body);
    const { batchItemFailures } = await handler({ Records: [record] }, { getRemainingTimeInMillis: () => 60_000 });
    return { ended, retried: batchItemFailures.length, logged: log.logged };
  };

  it('ends the turn', async () => {
    expect(await handle(JSON.stringify(OPEN))).toMatchObject({ ended: [OPEN], retried: 0 });
  });

  it('is retried if the table is unavailable', async () => {
    expect(await handle(JSON.stringify(OPEN), true)).toMatchObject({ ended: [], retried: 1 });
  });

  it.each(['', '{}', 'null', JSON.stringify({ ...OPEN, messageCount: 0 })])(
    'is deleted if it is no turn: %s',
    async (body) => {
      const { ended, retried, logged } = await handle(body);
      expect([ended, retried]).toEqual([[], 0]);
      expect(JSON.stringify(logged)).toContain('queue message is not a turn; deleted');
    },
  );
});
