import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { STAGE } from '../../../support/answer-forecasts.ts';
import { NOW } from '../../../support/builders.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
let calls: unknown[];
let stage: object;
let closed: [number, object];
let stopped: object;
let resumed: object;

const OPEN = { state: 'open', why: 'HTTP 401', openedAt: NOW, nextProbeAt: NOW };
const STOPPED = { state: 'stopped', stoppedAt: NOW, note: 'Wrong price' };

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse(NOW) + 180_000, toFake: ['Date'] });
  calls = [];
  stage = STAGE;
  stopped = STOPPED;
  resumed = { state: 'running', resumedAt: NOW };
  closed = [200, { circuitBreaker: OPEN }];
  target = await startLocalTarget({}, async (method, path, body) => {
    calls.push([method, path, body]);
    switch (path) {
      case '/v1/stops':
        return [200, { sending: stopped }];
      case '/v1/resumptions':
        return [200, { sending: resumed }];
      case '/v1/circuit-breaker-closures':
        return closed;
      default:
        return [200, stage];
    }
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await target?.[Symbol.asyncDispose]();
});

const linesOf = async (...args: string[]) => (await target.parley(['sending', ...args])).out.trimEnd().split('\n');

describe('parley sending', () => {
  it('stop says since when, why, and how to resume', async () => {
    expect(await linesOf('stop', '--note', 'Wrong price')).toEqual([
      `Sending has been stopped since ${NOW} (3 minutes ago): Wrong price`,
      'Calls to the chat service end within 5 seconds.',
      'Requests wait. To resume sending: parley sending resume --local',
    ]);
    expect(calls).toEqual([['POST', '/v1/stops', JSON.stringify({ note: 'Wrong price' })]]);
  });

  it('stop fails if someone else resumed sending at the same time', async () => {
    stopped = { state: 'running', resumedAt: NOW };
    expect(await target.parley(['sending', 'stop', '--note', 'Wrong price'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('resumed at the same time'),
    });
  });

  it('stop needs a note, and calls nothing without one', async () => {
    const { code, err } = await target.parley(['sending', 'stop']);
    expect([code, calls]).toEqual([2, []]);
    expect(err).toContain('--note');
  });

  it('resume says how soon the waiting requests are sent', async () => {
    const [first, second] = await linesOf('resume', '--note', 'Fixed');
    expect([first, second]).toEqual(['Sending is not stopped.', expect.stringContaining('at most about 15 minutes')]);
    expect(calls).toEqual([['POST', '/v1/resumptions', JSON.stringify({ note: 'Fixed' })]]);
  });

  it('resume fails, and shows the stop, if another operator stopped sending at the same time', async () => {
    resumed = STOPPED;
    expect(await linesOf('resume')).toEqual([
      `Sending has been stopped since ${NOW} (3 minutes ago): Wrong price`,
      'Requests wait. To resume sending: parley sending resume --local',
    ]);
    const { code, out } = await target.parley(['sending', 'resume', '--json']);
    expect([code, JSON.parse(out)]).toEqual([4, { sending: STOPPED }]);
  });

  it('status shows the stop and the open circuit breaker, with what ends each', async () => {
    expect(await linesOf('status')).toEqual(['Sending is not stopped.', 'The circuit breaker is closed.']);
    stage = { ...STAGE, sending: STOPPED, circuitBreaker: OPEN };
    expect(await linesOf('status')).toEqual([
      `Sending has been stopped since ${NOW} (3 minutes ago): Wrong price`,
      'Requests wait. To resume sending: parley sending resume --local',
      `The circuit breaker has been open since ${NOW} (3 minutes ago): HTTP 401`,
      `The next probe is due at ${NOW} (3 minutes ago). To make it due now: parley sending retry-now --local`,
    ]);
  });

  it('retry-now shows that the next probe is due, or that one is in flight', async () => {
    expect(await linesOf('retry-now')).toEqual([
      'The next request that Parley receives is the probe. If it succeeds, the circuit breaker closes.',
      'Check the result: parley sending status --local',
    ]);
    closed = [409, { code: 'PROBE_IN_FLIGHT', message: 'A probe is in flight.' }];
    expect(await target.parley(['sending', 'retry-now'])).toMatchObject({
      code: 4,
      err: expect.stringContaining('A probe is in flight.'),
    });
  });
});
