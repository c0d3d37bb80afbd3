import type { Fault } from '../world/faults.ts';
import type { Alternative } from '../world/turns.ts';
import type { VirtualClock } from '../world/virtual-clock.ts';
import { type Coverage, explore, type Run, replay } from './explore.ts';

/** A run in which an invariant did not hold. */
export interface Violation<Name extends string> {
  readonly invariant: Name;
  readonly what: string;
  /** The choices that lead there. */
  readonly choices: readonly number[];
}

export type Report<Name extends string> = (invariant: Name, what: string) => void;

/** A world whose invariants are checked while it runs. */
export interface ObservedWorld extends Run {
  readonly clock: VirtualClock;
  /** Checks what must hold at the end. */
  checkEnd(how: 'quiet' | 'endless'): void;
  /** The choices so far, if they are replayed in a world other than the searched one. */
  readonly path?: () => readonly number[];
}

export interface RunsResult<Name extends string> extends Coverage {
  /** The runs in which each invariant did not hold. */
  readonly violating: Readonly<Partial<Record<Name, number>>>;
  /** For each of them, the first run with the fewest choices. */
  readonly violations: readonly Violation<Name>[];
}

export interface RunsOptions {
  readonly mergesStates?: boolean;
  readonly maxRuns?: number;
  /** Ends the search when this invariant is violated, or when this function returns true. @default never */
  readonly until?: string | (() => boolean);
  /** Ends the search before it is complete. Otherwise, it would delay all later tests. */
  readonly signal?: AbortSignal;
}

/** The faults of a search. */
export interface FaultOptions<Mutation> {
  readonly maxFaults: number;
  /** @default all of them */
  readonly allowedFaults?: readonly Fault[];
  readonly createMutation?: () => Mutation;
}

/** Picks the options about faults from those of a search. */
export const faultOptions = <Mutation>({ maxFaults, allowedFaults, createMutation }: FaultOptions<Mutation>) => ({
  maxFaults,
  ...(allowedFaults && { allowedFaults }),
  ...(createMutation && { createMutation }),
});

/** Creates the function that reports violations of an invariant, using the check that `look` chooses. */
export const createCheck =
  <Name extends string, Invariant>(invariants: Readonly<Record<Name, Invariant>>, report: Report<Name>) =>
  (look: (invariant: Invariant) => string | undefined): void => {
    for (const [name, invariant] of Object.entries<Invariant>(invariants)) {
      const what = look(invariant);
      // The keys of the record are those of its type.
      if (what !== undefined) report(name as Name, what);
    }
  };

/** Searches every schedule of a world. */
export const searchRuns = async <Name extends string>(
  start: (report: Report<Name>) => ObservedWorld,
  options: RunsOptions,
): Promise<RunsResult<Name>> => {
  const violating = new Map<Name, number>();
  const shortest = new Map<Name, Violation<Name>>();
  let choicesSoFar: () => readonly number[] = () => [];
  let foundInRun = new Set<Name>();
  let world: ObservedWorld | undefined;
  let isOver: readonly number[] | undefined;
  const { until, signal } = options;

  const report: Report<Name> = (invariant, what) => {
    if (!foundInRun.has(invariant)) violating.set(invariant, (violating.get(invariant) ?? 0) + 1);
    foundInRun.add(invariant);
    const choices = world?.path?.() ?? isOver ?? choicesSoFar();
    const known = shortest.get(invariant);
    if (known === undefined || choices.length < known.choices.length)
      shortest.set(invariant, { invariant, what, choices });
  };

  const coverage = await explore({
    ...(options.mergesStates !== undefined && { mergesStates: options.mergesStates }),
    ...(options.maxRuns !== undefined && { maxRuns: options.maxRuns }),
    isEnough: () =>
      signal?.aborted === true ||
      (typeof until === 'function' ? until() : [...violating.keys()].some((name) => name === until)),
    onStart(choices) {
      choicesSoFar = choices;
      isOver = undefined;
      foundInRun = new Set();
    },
    start() {
      world = start(report);
      return world;
    },
    onEnd(how, choices) {
      isOver = choices;
      world?.checkEnd(how);
    },
  });
  const counted = Object.fromEntries(violating) as Partial<Record<Name, number>>;
  return { ...coverage, violating: counted, violations: [...shortest.values()] };
};

/** Runs one schedule again. Returns a log of its steps, and the violations. */
export const replayRuns = async <Name extends string>(
  start: (report: Report<Name>) => ObservedWorld,
  choices: readonly number[],
): Promise<{ readonly lines: readonly string[]; readonly violated: readonly Name[] }> => {
  const lines: string[] = [];
  const violated: Name[] = [];
  const world = start((invariant, what) => {
    violated.push(invariant);
    lines.push(`    VIOLATED ${invariant}: ${what}`);
  });
  const startedAt = world.clock.ms;
  const describe = ({ process = '', label, fault }: Alternative): void => {
    const seconds = ((world.clock.ms - startedAt) / 1000).toFixed(0).padStart(6);
    lines.push(`${seconds} s  ${process.padEnd(8)}${label}${fault ? `   ← ${fault}` : ''}`);
  };
  const how = await world.run(replay(choices, describe));
  if (how !== 'abandoned') world.checkEnd(how);
  return { lines, violated };
};
