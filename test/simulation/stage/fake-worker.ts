import { parentPort } from 'node:worker_threads';
import { FAKE } from './fake-simulation.ts';
import { type SeedRange, simulateSeeds } from './simulate-seeds.ts';

/** A worker thread with the fake simulation. */
parentPort?.on('message', async (range: SeedRange) => {
  parentPort?.postMessage(await simulateSeeds(range, FAKE));
});
