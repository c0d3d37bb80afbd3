import { createIndependence, type Independence } from '../world/independence.ts';
import { forgetInterned } from '../world/serialize.ts';
import type { Choose } from '../world/world.ts';
import { type ObservedWorld, type Report, type RunsOptions, type RunsResult, searchRuns } from './search-runs.ts';

/** A world that leaves out orders of calls that commute, as `independence` knows it. */
export interface LearningWorld<Name extends string> {
  readonly observe: (independence: Independence, report: Report<Name>) => ObservedWorld;
  /** One run, in which nothing is left out. */
  readonly run: (independence: Independence, choose: Choose) => Promise<unknown>;
}

/** What the search took for independent is not. */
class RefutedError extends Error {}

const LEARNING_RUNS = 200;

/** Searches every schedule of a world, but of calls that commute only one order. */
export const searchLearned = async <Name extends string>(
  { observe, run }: LearningWorld<Name>,
  options: RunsOptions,
): Promise<RunsResult<Name>> => {
  const independence = createIndependence();
  // Learns from some runs what the actors touch, so that the search seldom starts again.
  const watching = { ...independence, commutes: () => false };
  const choose = createPick();
  for (let count = 0; count < LEARNING_RUNS; count += 1) await run(watching, choose);
  for (;;) {
    forgetInterned();
    independence.isRefuted();
    try {
      const result = await searchRuns<Name>((report) => {
        if (independence.isRefuted()) throw new RefutedError();
        return observe(independence, report);
      }, options);
      if (!independence.isRefuted()) return result;
    } catch (error) {
      if (!(error instanceof RefutedError)) throw error;
    }
  }
};

/** The same choices in each search. */
const createPick = (): Choose => {
  let state = 1;
  return ({ length }) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % length;
  };
};
