import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { holdAccount } from './held-account-trial.ts';
import { killAndRecover } from './kill-trial.ts';
import { outlast } from './outage-trial.ts';
import { answersUnavailable, refusesConnections } from './outages.ts';
import { poison } from './poison-trial.ts';
import { type SendingStage, startSendingStage } from './sending-stage.ts';

// The trials with small numbers; `npm run trial` plays them in full.

let stage: SendingStage | undefined;
const replacements: Sandbox[] = [];
let outdir: string;
const started = async () => {
  stage = await startSendingStage({ outdir });
  return stage;
};
// One synthesis for all of them.
beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'parley-trials-'));
});
afterAll(() => rm(outdir, { recursive: true, force: true }));
afterEach(async () => {
  await stage?.close();
  stage = undefined;
  for (const sandbox of replacements.splice(0)) await sandbox.close();
});

describe('a function that is killed at random moments', () => {
  it.each([{ resets: false }, { resets: true }])(
    'sends nothing twice and loses nothing, %o',
    async ({ resets }) => {
      const report = await killAndRecover(await started(), { requests: 60, kills: 6, seed: 7, resets });
      expect(report).toMatchObject({ sentTwice: [], missing: [], contradictions: [] });
      expect(report.killed).toBeGreaterThan(0);
    },
    90_000,
  );
});

describe('a chat service that is away for a day', () => {
  const day = { requests: 20, groups: 4, seconds: 86_400, stepSeconds: 1_800 };

  it('and answers 503 loses nothing and gets all in order afterwards', async () => {
    const began = await started();
    const report = await outlast(began, day, answersUnavailable(began));
    expect(report).toMatchObject({ acceptedDuringOutage: 0, accepted: 20, states: { accepted: 20 }, disordered: [] });
  }, 90_000);

  it('and refuses connections loses nothing and gets all in order afterwards', async () => {
    const began = await started();
    const report = await outlast(began, day, refusesConnections(began, replacements));
    expect(report).toMatchObject({ acceptedDuringOutage: 0, accepted: 20, states: { accepted: 20 }, disordered: [] });
  }, 90_000);
});

describe('an account without credit for ten minutes', () => {
  it('costs fewer than 20 calls, and all goes out in order afterwards', async () => {
    const report = await holdAccount(await started(), { requests: 60, groups: 20, stepSeconds: 10 });
    expect(report).toMatchObject({ acceptedWhileHeld: 0, disordered: [] });
    expect(report.calls).toBeLessThan(20);
  }, 90_000);
});

describe('a malformed and an always-failing message among others', () => {
  it('delay nobody outside the failing one’s group', async () => {
    const report = await poison(await started(), { requests: 100, groups: 20 });
    expect(report).toEqual({
      acceptedOfOthers: 94,
      others: 94,
      heldBehindFailing: 5,
      malformedDeadLetters: 1,
      clockMoved: false,
    });
  }, 60_000);
});
