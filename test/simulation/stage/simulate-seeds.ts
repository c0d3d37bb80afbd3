import { drawHistory } from './draw-history.ts';
import { eventsIn, runHistory, type Simulation } from './run-history.ts';
import type { ShownViolation } from './timeline.ts';
import { addWitnesses, countWitnesses, createWitnesses, type Witnesses } from './witnesses.ts';

/** Consecutive seeds. */
export interface SeedRange {
  readonly from: number;
  readonly seeds: number;
}

/** The results of a range of seeds. */
export interface SeedsResult {
  readonly seeds: number;
  readonly events: number;
  readonly witnesses: Witnesses;
  /** The violations of each failing seed, in the order of the seeds. */
  readonly failures: readonly FailingSeed[];
}

export interface FailingSeed {
  readonly seed: number;
  readonly violations: readonly Pick<ShownViolation, 'invariant' | 'what'>[];
}

/** Draws and plays the histories of a range of seeds. */
export const simulateSeeds = async ({ from, seeds }: SeedRange, simulation: Simulation): Promise<SeedsResult> => {
  const witnesses = createWitnesses();
  const failures: FailingSeed[] = [];
  let events = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const result = await runHistory(drawHistory(seed), simulation);
    if (result.kind === 'played') {
      events += eventsIn(result.run);
      countWitnesses(result.run, result.checks, witnesses);
    }
    if (result.violations.length > 0) {
      failures.push({ seed, violations: result.violations.map(({ invariant, what }) => ({ invariant, what })) });
    }
  }
  return { seeds, events, witnesses, failures };
};

export const NO_SEEDS: SeedsResult = { seeds: 0, events: 0, witnesses: createWitnesses(), failures: [] };

/** Adds the results of another range of seeds. */
export const addResults = (one: SeedsResult, other: SeedsResult): SeedsResult => {
  const witnesses = createWitnesses();
  addWitnesses(witnesses, one.witnesses);
  addWitnesses(witnesses, other.witnesses);
  return {
    seeds: one.seeds + other.seeds,
    events: one.events + other.events,
    witnesses,
    failures: [...one.failures, ...other.failures].toSorted((left, right) => left.seed - right.seed),
  };
};
