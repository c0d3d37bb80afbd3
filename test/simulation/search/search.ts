import type { Fault } from '../world/faults.ts';
import type { Mutation } from '../world/send-process.ts';
import { forgetInterned } from '../world/serialize.ts';
import { createWorld, type World } from '../world/world.ts';
import type { WorldOptions } from '../world/world-options.ts';
import { INVARIANTS, type Invariant, type InvariantName } from './invariants.ts';
import {
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

interface RunOptions {
  readonly maxFaults: number;
  /** @default all of them */
  readonly allowedFaults?: readonly Fault[];
  readonly createMutation?: () => Mutation;
}

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
  return {
    clock: world.clock,
    turns: world.turns,
    run: (choose) => world.run(choose),
    checkEnd(how) {
      checkEnd(world, how, report);
      onEnd?.(world);
    },
  };
};

export const observedWorld = (
  scenario: WorldOptions,
  { maxFaults, allowedFaults, createMutation }: RunOptions,
  report: Report<InvariantName>,
): World => {
  const check = (look: (invariant: Invariant) => string | undefined): void => {
    for (const [name, invariant] of Object.entries(INVARIANTS)) {
      const what = look(invariant);
      if (what !== undefined) report(name as InvariantName, what);
    }
  };
  return createWorld(
    { ...scenario, maxFaults, ...(allowedFaults && { allowedFaults }), ...(createMutation && { createMutation }) },
    {
      onCall: (world, call) => check(({ atCall }) => atCall?.(world, call)),
      onWrite: (world, write) => check(({ atWrite }) => atWrite?.(world, write)),
    },
  );
};

export const checkEnd = (world: World, how: 'quiet' | 'endless', report: Report<InvariantName>): void => {
  for (const [name, { atEnd }] of Object.entries<Invariant>(INVARIANTS)) {
    const what = atEnd?.(world, how);
    if (what !== undefined) report(name as InvariantName, what);
  }
};
