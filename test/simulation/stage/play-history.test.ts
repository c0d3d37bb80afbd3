import { describe, expect, it } from 'vitest';
import { NOW, sendRequest, templateRequest, USER } from '../../support/builders.ts';
import type { Act, Features, History } from './history.ts';
import type { LedgerEntry, LedgerKind } from './ledger.ts';
import { playHistory } from './play-history.ts';
import type { StageRun } from './stage-run.ts';

const START_MS = Date.parse(NOW);

/** A stage without faults, whose delivery is prompt and orderly. */
const features = (changes: Partial<Features> = {}): Features => ({
  faultRates: {},
  delivery: { duplicateRate: 0, lateRate: 0, maxLateMs: 0, lostAnswerRate: 0, withoutTimeRate: 0 },
  windowPer: 'user',
  rules: { clientPayload: 'all' },
  content: true,
  batchSize: { send: 10, inbound: 10, stream: 100 },
  sendConcurrency: 2,
  clockAheadMs: 0,
  maxAnswerMs: 500,
  ...changes,
});

type ActLater = Act extends infer Each ? (Each extends Act ? Omit<Each, 'atMs'> & { afterMs: number } : never) : never;

const history = (acts: readonly ActLater[], changes: Partial<History> = {}): History => ({
  seed: 1,
  features: features(),
  // An act without its time, and a time, are an act.
  acts: acts.map(({ afterMs, ...act }) => ({ ...act, atMs: START_MS + afterMs }) as Act),
  ...changes,
});

const request = (body: object, { requestId = 'request-1', afterMs = 0, via = 'queue' as 'queue' | 'api' } = {}) => ({
  kind: 'request' as const,
  afterMs,
  via,
  body: JSON.stringify({ ...body, requestId }),
  groupId: USER,
  deduplicationId: requestId,
});

const writes = (afterMs = 0) => ({ kind: 'user-writes' as const, contact: USER, text: 'Where is it?', afterMs });

const entriesOf = <Kind extends LedgerKind>({ ledger }: StageRun, kind: Kind) =>
  ledger.entries.filter((entry): entry is Extract<LedgerEntry, { kind: Kind }> => entry.kind === kind);

const MAIN_JOB = history([
  writes(),
  request(sendRequest({ messageText: 'request-1: It is on its way.' }), { afterMs: 5_000 }),
  { kind: 'user-reads', contact: USER, afterMs: 120_000 },
]);

describe('playing a history', () => {
  it('answers a user, and publishes all that happened', async () => {
    const run = await playHistory(MAIN_JOB);

    expect(run.how).toBe('quiet');
    expect(run.items.get('SEND#request-1 SEND')).toMatchObject({ state: 'accepted' });
    expect(run.items.get('MESSAGE#message-of-request-1-1 MESSAGE')).toMatchObject({
      deliveredAt: expect.any(String),
      readAt: expect.any(String),
    });
    expect(entriesOf(run, 'published').map(({ detailType }) => detailType)).toEqual([
      'MessageReceived',
      'SendAccepted',
      'MessageDelivered',
      'MessageRead',
    ]);
    expect(Object.values(run.queued).flat()).toEqual([]);
  });

  it('refuses a template without an opt-in', async () => {
    const run = await playHistory(history([request(templateRequest())]));

    expect(run.items.get('SEND#request-1 SEND')).toMatchObject({ state: 'refused', code: 'NO_OPT_IN' });
  });

  it('gives the same ledger for the same history, and another one for another seed', async () => {
    const [one, again, other] = [
      await playHistory(MAIN_JOB),
      await playHistory(MAIN_JOB),
      await playHistory({ ...MAIN_JOB, seed: 2 }),
    ];

    expect(again).toEqual(one);
    expect(other.ledger).not.toEqual(one.ledger);
  });
});
