import { describe, expect, it } from 'vitest';
import type { Item } from '../../../lambdas/table/item.ts';
import { NOW } from '../../support/builders.ts';
import type { WireEvent } from '../world/translate-event.ts';
import { PLAIN_FEATURES } from './draw-features.ts';
import { IMPOSSIBLE } from './impossible.ts';
import { type LedgerEntry, QUEUES } from './ledger.ts';
import { observeReport } from './observe-report.ts';
import { playHistory } from './play-history.ts';
import { DECLARED_FAULTS } from './port-calls.ts';
import { busy, RATES } from './small-histories.ts';
import type { StageRun } from './stage-run.ts';
import { addWitnesses, countWitnesses, createWitnesses, judgeWitnesses } from './witnesses.ts';

const atMs = Date.parse(NOW);

const runOf = (entries: readonly LedgerEntry[], possibleFaults: StageRun['possibleFaults'] = new Map()): StageRun => ({
  history: { seed: 1, features: PLAIN_FEATURES, acts: [] },
  ledger: { entries },
  how: 'quiet',
  items: new Map(),
  queued: { ...EMPTY },
  scheduled: [],
  possibleFaults,
  calmAtMs: atMs,
  endedAtMs: atMs,
});

const EMPTY = Object.fromEntries(QUEUES.map((queue) => [queue, []])) as unknown as StageRun['queued'];

const counted = (run: StageRun): ReadonlyMap<string, number> => {
  const witnesses = createWitnesses();
  countWitnesses(run, {}, witnesses);
  return new Map([...witnesses].filter(([, count]) => count > 0));
};

const write = (process: string, before: Item | undefined, after: Item | undefined): LedgerEntry => ({
  atMs,
  process,
  kind: 'write',
  key: 'SEND#request-1 SEND',
  before,
  after,
});

describe('the witnesses of a run', () => {
  it('count acts with their choices, faults, calls, events, and ends', () => {
    const run = runOf([
      { atMs, kind: 'act', act: { atMs, kind: 'outage', part: 'bus', how: 'throttled', forMs: 1 } },
      { atMs, kind: 'invoked', process: 'send-1', function: 'send', messages: 1 },
      { atMs, kind: 'fault', process: 'send-1', id: '', function: 'send', call: 'write SEND', fault: 'dies-after' },
      { atMs, kind: 'ended', process: 'send-1', function: 'send', how: 'died' },
      { atMs, kind: 'published', process: 'publish-1', id: '1', detailType: 'SendAccepted', detail: {} },
      { atMs, kind: 'published', process: 'publish-1', id: '1', detailType: 'SendAccepted', detail: {} },
    ]);
    expect(Object.fromEntries(counted(run))).toEqual({
      'act outage': 1,
      'act with part bus': 1,
      'act with how throttled': 1,
      'outage of bus: throttled': 1,
      'fault dies-after at send write SEND': 1,
      'invocation of send': 1,
      'invocation died': 1,
      'event SendAccepted': 2,
    });
  });

  it('count the invocations of each function, its calls, and what each invariant checked', () => {
    const witnesses = createWitnesses();
    const run = runOf(
      [{ atMs, kind: 'invoked', process: 'manage-1', function: 'erase', messages: 1 }],
      new Map([['erase read SEND', new Set(['late'] as const)]]),
    );
    countWitnesses(run, { erasuresEnd: 2, lawsHold: 0 }, witnesses);
    expect(Object.fromEntries([...witnesses].filter(([, count]) => count > 0))).toEqual({
      'invocation of erase': 1,
      'port call erase read SEND': 1,
      'check erasuresEnd': 2,
    });
    const { unwitnessed } = judgeWitnesses(witnesses);
    expect(unwitnessed).toContain('invocation of keep');
    expect(unwitnessed).toContain('port call keep read DEADLETTER');
    expect(unwitnessed).toContain('check lawsHold');
    expect(unwitnessed).not.toContain('check erasuresEnd');
  });

  it('count the transitions of sends with their states, and why requests were refused', () => {
    const run = runOf([
      { atMs, kind: 'invoked', process: 'send-1', function: 'send', messages: 1 },
      write('send-1', { state: 'queued' }, { state: 'claimed' }),
      write('send-1', { state: 'claimed' }, { state: 'refused', code: 'WINDOW_CLOSED' }),
    ]);
    expect([...counted(run).keys()]).toEqual([
      'transition claim from queued',
      'transition refuse from claimed',
      'refusal WINDOW_CLOSED',
      'invocation of send',
    ]);
  });

  it('name what is possible and never happened, unless it is declared impossible', () => {
    const witnesses = createWitnesses();
    countWitnesses(runOf([]), {}, witnesses);
    addWitnesses(witnesses, new Map([['fault late at send write SEND', 3]]));
    const { unwitnessed, unexpected } = judgeWitnesses(witnesses, { 'act erase': 'Nobody can be erased.' });
    expect(unwitnessed).toContain('fault outage at send write SEND');
    expect(unwitnessed).toContain('transition claimAgain from uncertain');
    expect(unwitnessed).toContain('event SendAccepted');
    expect(unwitnessed).not.toContain('fault late at send write SEND');
    expect(unwitnessed).not.toContain('act erase');
    expect(unexpected).toEqual([]);
  });

  it('report calls and faults that no list declares', () => {
    const witnesses = createWitnesses();
    const possibleFaults = new Map([['send read AUDIT', new Set(['late'] as const)]]);
    countWitnesses(runOf([], possibleFaults), {}, witnesses);
    expect(judgeWitnesses(witnesses).unexpected).toEqual([
      'port call send read AUDIT',
      'fault late at send read AUDIT',
    ]);
  });

  it('need no fault at a call that is declared impossible', () => {
    const impossible = { 'port call erase read SEND': 'Nobody can be erased.' };
    const witnesses = new Map([['fault late at erase read SEND', 0]]);
    expect(judgeWitnesses(witnesses, impossible).unwitnessed).toEqual([]);
    expect(judgeWitnesses(witnesses, {}).unwitnessed).toEqual(['fault late at erase read SEND']);
  });

  it('know the faults of each call', async () => {
    const { possibleFaults } = await playHistory(busy(3, { faultRates: RATES }));
    const sorted = (faults: Iterable<string> = []) => [...faults].toSorted();
    expect(possibleFaults.size).toBeGreaterThan(40);
    for (const [call, faults] of possibleFaults) {
      expect([call, sorted(faults)]).toEqual([call, sorted(DECLARED_FAULTS.get(call))]);
    }
  });

  it('report what is declared impossible, and what is not declared possible', () => {
    const witnesses = new Map([
      ['act erase', 1],
      ['event Unheard', 2],
      ['act request', 0],
    ]);
    expect(judgeWitnesses(witnesses, { 'act erase': 'Nobody can be erased.' })).toEqual({
      unwitnessed: ['act request'],
      unexpected: ['act erase, which is listed as impossible', 'event Unheard'],
    });
  });

  it('declare only known names impossible, each with a reason', () => {
    const known = createWitnesses();
    for (const [name, reason] of Object.entries(IMPOSSIBLE)) {
      expect([name, known.has(name)]).toEqual([name, true]);
      expect(reason).toMatch(/\.$/);
    }
  });
});

describe('an observed report', () => {
  const ids = { _id_: 'message-1', FROM: '5491155550000' };
  const cases: readonly (readonly [WireEvent, string | undefined])[] = [
    [{ ...ids, MESSAGE: 'Hello?' }, 'message'],
    [{ ...ids, MESSAGE: '', STATUS: 'received' }, 'message with an unknown status'],
    [{ ...ids, STATUS: 'READ' }, 'status read'],
    [{ ...ids, STATUS: 'archived' }, 'unknown status'],
    [{ ...ids, FROM: 'me', MESSAGE: 'Hello.' }, 'echo'],
    [{ _id_: 'message-of-request-1-1', FROM: 'me' }, 'echo of a message that Parley sent'],
    [{ FROM: '5491155550000' }, undefined],
  ];

  it.each(cases)('%j is %s', (event, report) => {
    expect(observeReport(event)).toBe(report);
  });

  it('is counted unless its signature is invalid', () => {
    const event = { atMs, kind: 'event', eventId: 'written 1', body: JSON.stringify(ids) } as const;
    const run = runOf([
      { ...event, isUnauthenticated: false },
      { ...event, isUnauthenticated: true },
    ]);
    expect(Object.fromEntries(counted(run))).toEqual({
      'event in uppercase': 1,
      'report from the chat service: message': 1,
    });
  });

  it('is counted with its format, its sender, and the others of its post', () => {
    const event = { kind: 'event', atMs, eventId: 'echoed 1', isUnauthenticated: false, others: 1 } as const;
    const source = { _id_: 'echo-1', FROM: 'me', MESSAGE: 'Hello.' };
    const body = JSON.stringify({ v: '1.1', messages: [{ _id: 'echo-1', message: 'Hello.' }] });
    expect(Object.fromEntries(counted(runOf([{ ...event, source, body }])))).toEqual({
      'event in v1.1': 1,
      'events posted together': 1,
      'echo from nobody': 1,
      'report from the chat service: echo': 1,
    });
  });

  it('of a failure is counted with its code, and as one without a time', () => {
    const source = { ...ids, STATUS: 'failed', REASON: '131026.0' };
    const event = { kind: 'event', atMs, eventId: 'failed 1', isUnauthenticated: false } as const;
    expect(Object.fromEntries(counted(runOf([{ ...event, source, body: JSON.stringify(source) }])))).toEqual({
      'event in uppercase': 1,
      'failure with a code like a float': 1,
      'status without a time': 1,
      'report from the chat service: status failed': 1,
    });
  });
});

describe('the link of a send to its message', () => {
  const link = (before: Item | undefined, after: Item): LedgerEntry => ({
    ...{ atMs, process: 'send-1', kind: 'write', key: 'TRANSACTION#1 TRANSACTION' },
    before,
    after,
  });

  it.each([
    ['the answer', { requestId: 'request-1' }],
    ['an event', { messageId: 'message-1' }],
  ] as const)('is counted if %s comes first', (first, before) => {
    const complete = { requestId: 'request-1', messageId: 'message-1' };
    const run = runOf([link(undefined, before), link(before, complete), link(complete, complete)]);
    expect(Object.fromEntries(counted(run))).toEqual({ [`transaction known by ${first} first`]: 1 });
  });
});
