import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ChaosRun, type ChaosSettings, runChaos } from './chaos.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { ENTRIES, PARTS, SANDBOX } from './parts.ts';
import { describeRun, isPassed } from './report.ts';
import { sendTwice, swallowEvents, swallowMessages } from './sabotage.ts';

// One minute at lower rates. `npm run chaos` runs for ten minutes. No test here depends on the speed of the machine.

const TIMEOUT_MS = 900_000;

let outdir: string;
const run = async (options: ChaosOptions, settings: ChaosSettings = {}): Promise<ChaosRun> => {
  const done = await runChaos(options, { ...settings, local: { outdir } });
  if (done.folder !== undefined && settings.sabotage) await rm(done.folder, { recursive: true, force: true });
  return done;
};
const failedChecks = ({ checks }: ChaosRun): readonly string[] =>
  checks.filter(({ violations }) => violations.length > 0).map(({ name }) => name);

// One synthesis for all runs.
beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'parley-chaos-app-'));
});
afterAll(() => rm(outdir, { recursive: true, force: true }));

/**
 * On any machine, a minute is long enough to inject faults into these parts. Only a full run must inject every fault.
 */
const BUSY_PARTS = [PARTS.dynamodb.name, PARTS.webhook.name, PARTS.streamMappings.name, ENTRIES.name, SANDBOX.name];

/** Checks that may have nothing to compare in a short run. */
const MAY_BE_IDLE = new Set(['cancelled sends are not sent', 'a send is uncertain only if a fault hit its call']);

describe('a minute of load, faults, and killed processes', () => {
  it(
    'loses nothing and does nothing twice',
    async () => {
      const done = await run({ minutes: 1, eventsPerSecond: 10, sendsPerSecond: 4, seed: 13 });
      expect(isPassed(done), describeRun(done)).toBe(true);

      const injected = done.faults.filter(({ count }) => count > 0).map(({ part }) => part);
      expect(injected).toEqual(expect.arrayContaining([...BUSY_PARTS]));
      // The proxies must recognize the requests that they pass on, or the checks would excuse too much or nothing.
      expect(Math.min(done.ledgers.sendWrites.length, done.ledgers.calls.length)).toBeGreaterThan(0);
      const idle = done.checks.filter(({ name, compared }) => compared === 0 && !MAY_BE_IDLE.has(name));
      expect(idle.map(({ name }) => name)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a run that ends with an error', () => {
  it(
    'leaves no folder',
    async () => {
      vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'parley-failing-')));
      try {
        const onProgress = () => {
          throw new Error('The run was stopped.');
        };
        await expect(
          run({ minutes: 1, eventsPerSecond: 1, sendsPerSecond: 1, seed: 1 }, { onProgress }),
        ).rejects.toThrow('The run was stopped.');
        expect((await readdir(tmpdir())).filter((name) => name.startsWith('parley-chaos-'))).toEqual([]);
      } finally {
        const folder = tmpdir();
        vi.unstubAllEnvs();
        await rm(folder, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );
});

describe('a part that is broken on purpose', () => {
  const SHORT = { minutes: 0.1, eventsPerSecond: 10, sendsPerSecond: 5, seed: 1 };

  it(
    'is found if it delivers requests to the chat service twice',
    async () => {
      const done = await run(SHORT, { sabotage: { tamper: { chatService: sendTwice } } });
      const name = 'nothing is sent twice, unless the request says resend and the outcome was unknowable';
      expect(failedChecks(done)).toContain(name);
      expect(describeRun(done)).toMatch(/FAILED nothing is sent twice.*\n(.*\n)*.*chaos-1-send-\d+ was sent \d times/);
    },
    TIMEOUT_MS,
  );

  it(
    'is found if it confirms writes and events that it swallows',
    async () => {
      const tamper = { dynamodb: swallowMessages, eventBridge: swallowEvents };
      const done = await run(SHORT, { sabotage: { tamper } });
      expect(failedChecks(done)).toEqual(['every event is stored once or quarantined', 'every change is published']);
    },
    TIMEOUT_MS,
  );
});
