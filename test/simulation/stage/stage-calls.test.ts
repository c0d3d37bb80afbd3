import { describe, expect, it } from 'vitest';
import { USER } from '../../support/builders.ts';
import { FAULTS } from '../world/faults.ts';
import { LIMITS } from '../world/send-process.ts';
import { DAY_MS } from './durations.ts';
import { playHistory } from './play-history.ts';
import {
  answersOf,
  busy,
  entriesOf,
  eventsOn,
  faultsIn,
  features,
  freeForm,
  history,
  MAIN_JOB,
  RATES,
  request,
  sendOf,
  writes,
} from './small-histories.ts';
import type { StageRun } from './stage-run.ts';

describe('what AWS does for the functions', () => {
  const withFaults = (faults: readonly string[]) => playHistory({ ...MAIN_JOB, faults });

  it('retries the same records of the stream if the function dies, so that an event is published twice', async () => {
    const run = await withFaults(['publish respond 1 dies-before']);

    const published = entriesOf(run, 'published').filter(({ detailType }) => detailType === 'MessageReceived');
    expect(published.map(({ id }) => id)).toEqual([published[0]?.id, published[0]?.id]);
    expect(entriesOf(run, 'ended')).toContainEqual(expect.objectContaining({ function: 'publish', how: 'died' }));
  });

  it('publishes an event once if the call fails without effect', async () => {
    const run = await withFaults(['publish publish MessageReceived 1 fails-before']);

    expect(entriesOf(run, 'fault')).toHaveLength(1);
    expect(eventsOn(run)).toEqual(eventsOn(await playHistory(MAIN_JOB)));
  });

  it('gives up an overdue call, which takes effect later', async () => {
    const run = await withFaults(['publish publish MessageReceived 1 overdue']);

    const times = entriesOf(run, 'published').filter(({ detailType }) => detailType === 'MessageReceived');
    expect(times).toHaveLength(2);
    expect(entriesOf(run, 'fault')).toHaveLength(1);
  });

  it('puts records that are too old on the queue for publish failures', async () => {
    const outage = { kind: 'outage' as const, part: 'bus' as const, how: 'refused' as const, afterMs: 0 };
    const run = await playHistory(history([{ ...outage, forMs: 13 * 60 * 60 * 1000 }, writes(1_000)]));

    expect(eventsOn(run)).toEqual([]);
    const [left] = run.queued['publish-dead-letters'];
    expect(JSON.parse(left?.body ?? '{}')).toMatchObject({ requestContext: { condition: 'RecordAgeExceeded' } });
  });

  it('delivers a message again after its visibility timeout if the function dies', async () => {
    const run = await withFaults(['send respond 1 dies-before']);

    expect(entriesOf(run, 'invoked').filter((entry) => entry.function === 'send')).toHaveLength(2);
    expect(entriesOf(run, 'call')).toHaveLength(1);
    expect(sendOf(run)?.state).toBe('accepted');
  });

  it('delivers a message again if Lambda could not delete it', async () => {
    const run = await withFaults(['send delete from send 1 fails-before']);

    expect(entriesOf(run, 'invoked').filter((entry) => entry.function === 'send')).toHaveLength(2);
    expect(entriesOf(run, 'deleted')).toHaveLength(1);
  });

  it('fails at the first calls of each kind if a run has faults there', async () => {
    const run = await playHistory({ ...MAIN_JOB, features: features({ rareCallFaultRate: 1 }) });

    const ofKind = (kind: string) => faultsIn(run).filter((id) => id.startsWith(kind));
    expect(ofKind('receive write MESSAGE').length).toBeGreaterThan(0);
    const counts = Map.groupBy(entriesOf(run, 'fault'), (fault) => `${fault.function} ${fault.call}`);
    expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBe(4);
  });

  it('fails at the calls of the kind that a run has as a flaky one', async () => {
    const flakyCall = { name: 'receive write MESSAGE', rate: 1, fromMs: 0, forMs: DAY_MS };
    const run = await playHistory({ ...MAIN_JOB, features: features({ flakyCall }) });

    const kinds = entriesOf(run, 'fault').map((fault) => `${fault.function} ${fault.call} ${fault.fault}`);
    expect(new Set(kinds)).toEqual(new Set(['receive write MESSAGE fails-before']));
    expect(kinds.length).toBeGreaterThan(1);
  });

  it('ends an invocation at its timeout', async () => {
    const run = await withFaults(['send respond 1 late']);

    const [invoked] = entriesOf(run, 'invoked').filter((entry) => entry.function === 'send');
    const [ended] = entriesOf(run, 'ended').filter((entry) => entry.function === 'send');
    expect(ended).toMatchObject({ how: 'timed-out', atMs: (invoked?.atMs ?? 0) + LIMITS.timeoutSeconds * 1000 });
  });

  it('keeps a FIFO group in order while a message of it waits', async () => {
    const credit = (hasCredit: boolean, afterMs: number) => ({ kind: 'credit' as const, hasCredit, afterMs });
    const second = { ...freeForm, messageText: 'request-2: It has arrived.' };
    const run = await playHistory(
      history([
        writes(),
        credit(false, 1),
        request(freeForm, { afterMs: 5_000 }),
        request(second, { requestId: 'request-2', afterMs: 6_000 }),
        credit(true, 900_000),
      ]),
    );

    const accepted = entriesOf(run, 'call').filter(({ end }) => end === 'accepted');
    expect(accepted.map(({ requestId }) => requestId)).toEqual(['request-1', 'request-2']);
  });

  it('delivers an event until it is acknowledged, and again if the answer is lost', async () => {
    const failing = await withFaults(['receive respond 1 dies-before']);
    const lost = features({ delivery: { ...MAIN_JOB.features.delivery, lostAnswerRate: 1 } });
    const unheard = await playHistory({ ...MAIN_JOB, features: lost });

    const attempts = (run: StageRun) =>
      entriesOf(run, 'delivery-answer').filter(({ eventId }) => eventId.startsWith('written'));
    expect(attempts(failing).map(({ status }) => status)).toEqual([500, 200]);
    expect(attempts(unheard).length).toBeGreaterThan(2);
    expect(attempts(unheard).map(({ isHeard }) => isHeard)).toEqual([
      ...attempts(unheard)
        .slice(1)
        .map(() => false),
      true,
    ]);
    expect(eventsOn(unheard).filter((name) => name === 'MessageReceived')).toHaveLength(1);
  });

  it('does not make an erasure fail in every one of its 1,000 receives', async () => {
    const later = writes(20 * 24 * 60 * 60 * 1000);
    const failing = features({ faultRates: { 'fails-before': 0.2 } });
    const erased = await playHistory(
      history([{ kind: 'erase', contact: USER, afterMs: 0 }, later], { features: failing }),
    );

    expect(entriesOf(erased, 'invoked').filter((entry) => entry.function === 'erase').length).toBeGreaterThan(40);
    expect(entriesOf(erased, 'write').map(({ after }) => after?.state)).toContain('done');
    expect(entriesOf(erased, 'queued').map(({ queue }) => queue)).not.toContain('erasures-dead-letters');
  });

  it('does not make the move of dead letters to the table fail every day for a week', async () => {
    const malformed = { ...request({}), body: '{', afterMs: 0 };
    const later = writes(20 * 24 * 60 * 60 * 1000);
    const run = await playHistory(
      history([malformed, later], { features: features({ faultRates: { 'dies-before': 0.6 } }) }),
    );

    expect(entriesOf(run, 'invoked').filter((entry) => entry.function === 'keep').length).toBeGreaterThan(12);
    expect(run.queued['send-dead-letters']).toEqual([]);
    expect([...run.items.values()].filter(({ sk }) => sk === 'DEADLETTER').length).toBe(1);
  });

  it('redrives requests, which fail again if they must', async () => {
    const malformed = { ...request({}), body: '{', afterMs: 0 };
    const run = await playHistory(history([malformed, { kind: 'redrive', queue: 'send', afterMs: 60_000 }]));

    expect(answersOf(run)).toEqual([['redrive', 200]]);
    expect(entriesOf(run, 'api-answer')[0]?.body).toMatchObject({ moved: 1 });
    expect(entriesOf(run, 'queued').map(({ queue }) => queue)).toEqual([
      'send',
      'send-dead-letters',
      'send',
      'send-dead-letters',
    ]);
  });
});

describe('faults', () => {
  // Few requests reach the chat service, because the writes before them fail often.
  const faultRates = { ...RATES, refused: 0.2, garbage: 0.2 };
  const runs = Promise.all(Array.from({ length: 24 }, (_, seed) => playHistory(busy(seed, { faultRates }))));

  it.each(FAULTS)('happen at the calls of ports and are reported: %s', async (fault) => {
    const found = (await runs).flatMap((run) => entriesOf(run, 'fault').filter((entry) => entry.fault === fault));

    expect(found).not.toEqual([]);
  });

  it('are possible where the run says so', async () => {
    for (const run of await runs) {
      for (const { function: name, call, fault } of entriesOf(run, 'fault')) {
        expect(run.possibleFaults.get(`${name} ${call}`)).toContain(fault);
      }
    }
  });

  it('end processes, and their invocations', async () => {
    const ends = (await runs).flatMap((run) => entriesOf(run, 'ended').map(({ how }) => how));

    expect(new Set(ends)).toEqual(new Set(['answered', 'died', 'timed-out']));
  });

  it('stop after the last act, and then everything ends', async () => {
    for (const run of await runs) {
      const calm = run.ledger.entries.findIndex(({ kind }) => kind === 'calm');
      expect(run.how).toBe('quiet');
      expect(run.ledger.entries.slice(calm).filter(({ kind }) => kind === 'fault' || kind === 'act')).toEqual([]);
    }
  });

  it('happen again if they are given, and only they', async () => {
    const [drawn] = await runs;
    if (drawn === undefined) throw new Error('There is no run.');
    const faults = faultsIn(drawn);
    const [kept] = faults;
    const again = await playHistory({ ...drawn.history, faults });
    const one = await playHistory({ ...drawn.history, faults: faults.slice(0, 1) });

    expect(faults.length).toBeGreaterThan(10);
    expect(again.ledger).toEqual(drawn.ledger);
    expect(faultsIn(one)).toEqual([kept]);
  });

  it('mostly stay the same when an act is left out', async () => {
    const [drawn] = await runs;
    if (drawn === undefined) throw new Error('There is no run.');
    const acts = drawn.history.acts.filter((_, index) => index !== 20);
    const without = await playHistory({ ...drawn.history, acts });
    const before = new Set(faultsIn(drawn));
    const kept = faultsIn(without).filter((id) => before.has(id));

    expect(kept.length).toBeGreaterThan(before.size / 2);
  });
});
