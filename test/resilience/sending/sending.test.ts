import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { holdAccount } from './account-on-hold.ts';
import { killAndRecover } from './kills.ts';
import { poison } from './poison.ts';
import { poisonBeforeOthers } from './poison-before-others.ts';
import { type SendingStage, startSendingStage } from './sending-stage.ts';
import { answersUnavailable, outlast, refusesConnections } from './service-outage.ts';
import { outlastTable } from './table-outage.ts';
import { MAX_UNCERTAIN, outlastUnreachable, SHORT_TIMEOUTS } from './unreachable-service.ts';

// With small numbers; `npm run trial` runs the same in full.

let stage: SendingStage | undefined;
const replacements: Sandbox[] = [];
let outdir: string;
const start = async (settings?: Readonly<Record<string, unknown>>) => {
  stage = await startSendingStage({ outdir, settings });
  return stage;
};
// One synthesis for all of them.
beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'parley-resilience-'));
});
afterAll(() => rm(outdir, { recursive: true, force: true }));
afterEach(async () => {
  await stage?.close();
  stage = undefined;
  for (const sandbox of replacements.splice(0)) await sandbox.close();
});

describe('a function that is killed at random moments', () => {
  it.each([{ resets: false }, { resets: true }])(
    'sends nothing twice and loses nothing (connection resets: $resets)',
    async ({ resets }) => {
      const report = await killAndRecover(await start(), { requests: 60, kills: 6, seed: 7, resets });
      expect(report).toMatchObject({ sentTwice: [], missing: [], contradictions: [] });
      expect(report.killed).toBeGreaterThan(0);
    },
    90_000,
  );
});

describe('while the chat service is unavailable for a day', () => {
  const day = { requests: 20, groups: 4, seconds: 86_400, stepSeconds: 1_800 };

  it('and answers 503, requests wait, and all are sent in order afterwards', async () => {
    const started = await start();
    const report = await outlast(started, day, answersUnavailable(started));
    expect(report).toMatchObject({ acceptedDuringOutage: 0, accepted: 20, states: { accepted: 20 }, disordered: [] });
  });

  it('and refuses connections, requests wait, and all are sent in order afterwards', async () => {
    const started = await start();
    const report = await outlast(started, day, refusesConnections(started, replacements));
    expect(report).toMatchObject({ acceptedDuringOutage: 0, accepted: 20, states: { accepted: 20 }, disordered: [] });
  });
});

describe('while the account has no credit for ten minutes', () => {
  it('fewer than 20 calls are made, and all requests are sent in order afterwards', async () => {
    const report = await holdAccount(await start(), { requests: 60, groups: 20, stepSeconds: 10 });
    expect(report).toMatchObject({ acceptedWhileOnHold: 0, disordered: [] });
    expect(report.calls).toBeLessThan(20);
  });
});

describe('a malformed message and one that always fails', () => {
  it('delay no message outside the group of the failing one', async () => {
    const report = await poison(await start(), { requests: 100, groups: 20 });
    expect(report).toEqual({
      acceptedOfOthers: 94,
      others: 94,
      waitingBehindFailing: 5,
      malformedDeadLetters: 1,
      clockMoved: false,
    });
  });
});

describe('while the chat service is unreachable for six hours', () => {
  it('only the sends in flight and a few more become uncertain, and the rest are sent in order afterwards', async () => {
    const report = await outlastUnreachable(await start(SHORT_TIMEOUTS), {
      requests: 300,
      groups: 30,
      seconds: 21_600,
      stepSeconds: 600,
    });
    expect(report).toMatchObject({ acceptedDuringOutage: 0, deadLetters: 0, disordered: [] });
    expect(report.uncertain).toBeLessThanOrEqual(MAX_UNCERTAIN);
    expect(report.states).toEqual({ accepted: 300 - report.uncertain, uncertain: report.uncertain });
  });
});

describe('while the table is unavailable for six hours', () => {
  it('nothing is dead-lettered, and all requests are sent in order afterwards', async () => {
    const report = await outlastTable(await start(SHORT_TIMEOUTS), {
      requests: 40,
      groups: 4,
      seconds: 21_600,
      stepSeconds: 7_200,
      isUnderLoad: false,
    });
    expect(report).toMatchObject({ states: { accepted: 40 }, deadLetters: 0, disordered: [] });
  });
});

describe('a request that cannot be processed', () => {
  it('is dead-lettered alone after a day, and the others of its contact are sent in order', async () => {
    const report = await poisonBeforeOthers(await start(), { requests: 40 });
    expect(report).toMatchObject({ states: { claimed: 1, accepted: 40 }, isOrdered: true });
    expect(report.deadLetterReasons).toEqual([expect.stringMatching(/^PROCESSING_FAILED: /)]);
    expect(report.sentAfterHours).toBeGreaterThanOrEqual(24);
  });
});
