import { searchLearned } from '../search/learned-search.ts';
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
} from '../search/search-runs.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import { forgetInterned } from '../world/serialize.ts';
import {
  describeEnd,
  RECEIVING_INVARIANTS,
  type ReceivingInvariant,
  type ReceivingInvariantName,
} from './receiving-invariants.ts';
import { createReceivingWorld, type ReceivingOptions, type ReceivingWorld } from './receiving-world.ts';

type RunOptions = FaultOptions<ReceiveMutation>;

export interface ReceivingSearchOptions extends RunOptions, RunsOptions {
  /** Whether the search learns which calls commute, and makes them in one order only. @default false */
  readonly learns?: boolean;
  /** Called at the end of each run that was not abandoned. */
  readonly onEnd?: (world: ReceivingWorld) => void;
}

export type ReceivingResult = RunsResult<ReceivingInvariantName>;

/** Searches every schedule of a scenario with up to `maxFaults` faults. */
export const searchReceiving = async (
  scenario: ReceivingOptions,
  options: ReceivingSearchOptions,
): Promise<ReceivingResult> => {
  const reference = await endOfFirst(scenario, options);
  const whole = { ...scenario, ...faultOptions(options), reference };
  const { prunes = true } = scenario;
  if (options.learns && prunes) {
    return searchLearned<ReceivingInvariantName>(
      {
        observe: (independence, report) => observed({ ...whole, independence }, report, options.onEnd),
        run: (independence, choose) => createReceivingWorld({ ...whole, independence }).run(choose),
      },
      options,
    );
  }
  forgetInterned();
  return searchRuns<ReceivingInvariantName>((report) => observed(whole, report, options.onEnd), options);
};

/** Runs one schedule again. Returns a log of its steps, and the violations. */
export const replayReceiving = async (scenario: ReceivingOptions, options: RunOptions, choices: readonly number[]) => {
  const reference = await endOfFirst(scenario, options);
  return replayRuns<ReceivingInvariantName>(
    (report) => observed({ ...scenario, ...faultOptions(options), reference }, report),
    choices,
  );
};

/** The table after the schedule that always takes the first alternative, without a fault. */
const endOfFirst = async (scenario: ReceivingOptions, { createMutation }: RunOptions): Promise<string> => {
  const world = createReceivingWorld({ ...scenario, ...(createMutation && { createMutation }) });
  await world.run(() => 0);
  return describeEnd(world);
};

const observed = (
  options: ReceivingOptions,
  report: Report<ReceivingInvariantName>,
  onEnd?: (world: ReceivingWorld) => void,
): ObservedWorld => {
  const check = createCheck<ReceivingInvariantName, ReceivingInvariant>(RECEIVING_INVARIANTS, report);
  const world = createReceivingWorld(options, (observedWorld, write) =>
    check(({ atWrite }) => atWrite?.(observedWorld, write)),
  );
  return {
    clock: world.clock,
    turns: world.turns,
    run: (choose) => world.run(choose),
    ...(options.independence && { path: () => [...world.path] }),
    checkEnd(how) {
      check(({ atEnd }) => atEnd?.(world, how));
      onEnd?.(world);
    },
  };
};
