import type { Fault } from '../world/faults.ts';
import type { Mutation } from '../world/send-process.ts';
import { forgetInterned } from '../world/serialize.ts';
import type { Alternative } from '../world/turns.ts';
import { createWorld, type World } from '../world/world.ts';
import type { WorldOptions } from '../world/world-options.ts';
import { type Coverage, explore, replay } from './explore.ts';
import { INVARIANTS, type Invariant, type InvariantName } from './invariants.ts';

/** A run in which an invariant did not hold. */
export interface Violation {
  readonly invariant: InvariantName;
  readonly what: string;
  /** The choices that lead there. */
  readonly choices: readonly number[];
}

export interface SearchOptions {
  readonly maxFaults: number;
  /** @default all of them */
  readonly allowedFaults?: readonly Fault[];
  readonly createMutation?: () => Mutation;
  readonly mergesStates?: boolean;
  readonly maxRuns?: number;
  /** Called at the end of each run that was not abandoned. */
  readonly onEnd?: (world: World) => void;
}

type RunOptions = Pick<SearchOptions, 'maxFaults' | 'allowedFaults' | 'createMutation'>;

export interface SearchResult extends Coverage {
  /** The runs in which each invariant did not hold. */
  readonly violating: Readonly<Partial<Record<InvariantName, number>>>;
  /** For each of them, the first run with the fewest choices. */
  readonly violations: readonly Violation[];
}

/** Searches every schedule of a scenario with up to `maxFaults` faults. */
export const search = async (scenario: WorldOptions, options: SearchOptions): Promise<SearchResult> => {
  forgetInterned();
  const violating: Partial<Record<InvariantName, number>> = {};
  const shortest = new Map<InvariantName, Violation>();
  let choicesSoFar: () => readonly number[] = () => [];
  let foundInRun = new Set<InvariantName>();
  let world: World | undefined;

  const report = (invariant: InvariantName, what: string, choices: readonly number[]): void => {
    if (!foundInRun.has(invariant)) violating[invariant] = (violating[invariant] ?? 0) + 1;
    foundInRun.add(invariant);
    const known = shortest.get(invariant);
    if (known === undefined || choices.length < known.choices.length)
      shortest.set(invariant, { invariant, what, choices });
  };

  const coverage = await explore({
    ...(options.mergesStates !== undefined && { mergesStates: options.mergesStates }),
    ...(options.maxRuns !== undefined && { maxRuns: options.maxRuns }),
    onStart(choices) {
      choicesSoFar = choices;
      foundInRun = new Set();
    },
    start() {
      world = observedWorld(scenario, options, (invariant, what) => report(invariant, what, choicesSoFar()));
      return world;
    },
    onEnd(how, choices) {
      if (world === undefined) return;
      checkEnd(world, how, (invariant, what) => report(invariant, what, choices));
      options.onEnd?.(world);
    },
  });
  return { ...coverage, violating, violations: [...shortest.values()] };
};

/** Runs one schedule again. Returns what happened, line by line, and the violations. */
export const replayRun = async (
  scenario: WorldOptions,
  options: RunOptions,
  choices: readonly number[],
): Promise<{ readonly lines: readonly string[]; readonly violated: readonly InvariantName[] }> => {
  const lines: string[] = [];
  const violated: InvariantName[] = [];
  const report = (invariant: InvariantName, what: string) => {
    violated.push(invariant);
    lines.push(`    VIOLATED ${invariant}: ${what}`);
  };
  const world = observedWorld(scenario, options, report);
  const start = world.clock.ms;
  const describe = ({ process = '', label, fault }: Alternative): void => {
    const seconds = ((world.clock.ms - start) / 1000).toFixed(0).padStart(6);
    lines.push(`${seconds} s  ${process.padEnd(8)}${label}${fault ? `   ← ${fault}` : ''}`);
  };
  const how = await world.run(replay(choices, describe));
  if (how !== 'abandoned') checkEnd(world, how, report);
  return { lines, violated };
};

export const observedWorld = (
  scenario: WorldOptions,
  { maxFaults, allowedFaults, createMutation }: RunOptions,
  report: (invariant: InvariantName, what: string) => void,
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

export const checkEnd = (
  world: World,
  how: 'quiet' | 'endless',
  report: (invariant: InvariantName, what: string) => void,
): void => {
  for (const [name, { atEnd }] of Object.entries<Invariant>(INVARIANTS)) {
    const what = atEnd?.(world, how);
    if (what !== undefined) report(name as InvariantName, what);
  }
};
