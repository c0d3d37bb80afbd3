import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { drawHistory } from './draw-history.ts';
import { playHistory } from './play-history.ts';
import { eventsIn } from './run-history.ts';
import { simulateSeeds } from './simulate-seeds.ts';
import { examineRun } from './stage-invariants.ts';
import { judgeWitnesses } from './witnesses.ts';

const SIMULATION = { play: playHistory, examine: examineRun };
const COMMAND = join(import.meta.dirname, 'run-simulate.ts');
/** `npm run simulate` plays thousands. */
const SEEDS = 12;

const simulate = async (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [COMMAND, ...args], { maxBuffer: 100 * 1024 * 1024 }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );

describe('random histories of a whole stage', () => {
  it('keep the invariants, and show nothing that is declared impossible', async () => {
    const { failures, witnesses, events } = await simulateSeeds({ from: 0, seeds: SEEDS }, SIMULATION);
    expect(failures).toEqual([]);
    expect(judgeWitnesses(witnesses).unexpected).toEqual([]);
    expect(events).toBeGreaterThan(SEEDS * 200);
  });

  it('are played in the same way by every process', async () => {
    const run = await playHistory(drawHistory(33));
    const { code, stdout } = await simulate('--seed', '33', '--json');
    expect(code).toBe(0);
    const printed = JSON.parse(stdout);
    expect(printed.history).toEqual(run.history);
    expect(printed.entries).toEqual(JSON.parse(JSON.stringify(run.ledger.entries)));
    expect(printed.entries.length).toBeGreaterThan(eventsIn(run));
  });

  it('are refused with a sentence if they cannot be read', async () => {
    expect(await simulate('--history', 'no-such-file.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot read no-such-file.json.'),
    });
    expect(await simulate('--history', 'package.json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('package.json is not a history: it has no seed.'),
    });
  });
});
