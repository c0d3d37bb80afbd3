import { createIndependence, type Independence } from '../world/independence.ts';
import { forgetInterned } from '../world/serialize.ts';
import type { Choose } from '../world/turns.ts';
import { type ObservedWorld, type Report, type RunsOptions, type RunsResult, searchRuns } from './search-runs.ts';

/** A world that skips orders of calls that commute according to `independence`. */
export interface LearningWorld<Name extends string> {
  readonly observe: (independence: Independence, report: Report<Name>) => ObservedWorld;
  /** Plays one run in which nothing is skipped. */
  readonly run: (independence: Independence, choose: Choose) => Promise<unknown>;
}

/** Thrown if calls that the search treated as independent are not. */
class RefutedError extends Error {}

const LEARNING_RUNS = 200;

/** Searches every schedule of a world, with only one order of calls that commute. */
export const searchLearned = async <Name extends string>(
  { observe, run }: LearningWorld<Name>,
  options: RunsOptions,
): Promise<RunsResult<Name>> => {
  const independence = createIndependence();
  // Some runs come first to learn what the actors access, so that the search rarely has to start over.
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

/** Makes the same choices in each search. */
const createPick = (): Choose => {
  let state = 1;
  return ({ length }) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % length;
  };
};
