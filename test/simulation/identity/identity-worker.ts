import { parentPort } from 'node:worker_threads';
import type { SeedRange } from '../stage/simulate-seeds.ts';
import { simulateIdentities } from './simulate-identity.ts';

/** A thread of `npm run simulate:identity`. Answers each range of seeds with its results. */
parentPort?.on('message', async (range: SeedRange) => {
  parentPort?.postMessage(await simulateIdentities(range));
});
