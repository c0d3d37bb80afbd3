import { describe, expect, it } from 'vitest';
import { drawHistory } from './draw-history.ts';
import { FAKE } from './fake-simulation.ts';
import type { Simulation } from './run-history.ts';
import { addResults, NO_SEEDS, simulateSeeds } from './simulate-seeds.ts';
import { simulateOnWorkers } from './simulate-workers.ts';

const WORKER = new URL('fake-worker.ts', import.meta.url);
const RESULTS = { none: NO_SEEDS, add: addResults };

describe('simulating seeds', () => {
  it('counts events and witnesses, and lists the seeds that violate an invariant', async () => {
    const result = await simulateSeeds({ from: 0, seeds: 30 }, FAKE);
    const histories = Array.from({ length: 30 }, (_, seed) => drawHistory(seed));
    expect(result.seeds).toBe(30);
    expect(result.events).toBe(histories.flatMap(({ acts }) => acts).length);
    expect(result.witnesses.get('act erase')).toBe(
      histories.flatMap(({ acts }) => acts).filter(({ kind }) => kind === 'erase').length,
    );
    const failing = histories.filter(({ acts }) => acts.some(({ kind }) => kind === 'erase')).map(({ seed }) => seed);
    expect(result.failures.map(({ seed }) => seed)).toEqual(failing);
  });

  it('takes an error for a violation', async () => {
    const simulation: Simulation = { ...FAKE, play: () => Promise.reject(new Error('The table has no such index.')) };
    const { failures } = await simulateSeeds({ from: 3, seeds: 1 }, simulation);
    expect(failures).toEqual([
      { seed: 3, violations: [{ invariant: 'runEnds', what: expect.stringContaining('no such index') }] },
    ]);
  });

  it('has the same result on several threads as on one', async () => {
    const range = { from: 5, seeds: 50 };
    const [one, several] = await Promise.all([
      simulateSeeds(range, FAKE),
      simulateOnWorkers({ ...range, ...RESULTS, workers: 3, worker: WORKER }),
    ]);
    expect(several).toEqual(one);
  });

  it('names the seeds at which a thread failed', async () => {
    const failing = simulateOnWorkers({
      ...RESULTS,
      from: 0,
      seeds: 4,
      workers: 1,
      worker: new URL('data:text/javascript,throw 1'),
    });
    await expect(failing).rejects.toThrow('A worker failed at the seeds 0 to 0.');
  });

  it('adds the results of ranges in any order', async () => {
    const [first, second] = await Promise.all([0, 10].map((from) => simulateSeeds({ from, seeds: 10 }, FAKE)));
    if (first === undefined || second === undefined) throw new Error('There is no result.');
    expect(addResults(second, first)).toEqual(await simulateSeeds({ from: 0, seeds: 20 }, FAKE));
  });
});
