import type { Mutation } from '../world/send-process.ts';
import { forgetInterned } from '../world/serialize.ts';
import { createWorld, type World } from '../world/world.ts';
import type { WorldOptions } from '../world/world-options.ts';
import { INVARIANTS, type Invariant, type InvariantName } from './invariants.ts';
import {
  createCheck,
  type FaultOptions,
  faultOptions,
  type ObservedWorld,
  type Report,
  type RunsOptions,
  type RunsResult,
  replayRuns,
  searchRuns,
} from './search-runs.ts';

export interface SearchOptions extends RunOptions, RunsOptions {
  /** Called at the end of each run that was not abandoned. */
  readonly onEnd?: (world: World) => void;
}

type RunOptions = FaultOptions<Mutation>;

export type SearchResult = RunsResult<InvariantName>;

/** Searches every schedule of a scenario with up to `maxFaults` faults. */
export const search = (scenario: WorldOptions, options: SearchOptions): Promise<SearchResult> => {
  forgetInterned();
  return searchRuns<InvariantName>((report) => observed(scenario, options, report, options.onEnd), options);
};

/** Runs one schedule again. Returns a log of its steps, and the violations. */
export const replayRun = (scenario: WorldOptions, options: RunOptions, choices: readonly number[]) =>
  replayRuns<InvariantName>((report) => observed(scenario, options, report), choices);

const observed = (
  scenario: WorldOptions,
  options: RunOptions,
  report: Report<InvariantName>,
  onEnd?: (world: World) => void,
): ObservedWorld => {
  const world = observedWorld(scenario, options, report);
  const check = createCheck<InvariantName, Invariant>(INVARIANTS, report);
  return {
    clock: world.clock,
    turns: world.turns,
    run: (choose) => world.run(choose),
    checkEnd(how) {
      check(({ atEnd }) => atEnd?.(world, how));
      onEnd?.(world);
    },
  };
};

export const observedWorld = (scenario: WorldOptions, options: RunOptions, report: Report<InvariantName>): World => {
  const check = createCheck<InvariantName, Invariant>(INVARIANTS, report);
  return createWorld(
    { ...scenario, ...faultOptions(options) },
    {
      onCall: (world, call) => check(({ atCall }) => atCall?.(world, call)),
      onWrite: (world, write) => check(({ atWrite }) => atWrite?.(world, write)),
    },
  );
};
