import { parentPort } from 'node:worker_threads';
import { playHistory } from './play-history.ts';
import { type SeedRange, simulateSeeds } from './simulate-seeds.ts';
import { examineRun } from './stage-invariants.ts';

/** A thread of `npm run simulate`. Answers each range of seeds with its results. */
parentPort?.on('message', async (range: SeedRange) => {
  parentPort?.postMessage(await simulateSeeds(range, { play: playHistory, examine: examineRun }));
});
