import type { Fault } from '../world/faults.ts';
import type { Alternative, Choose, Histories, Turns } from '../world/turns.ts';

/** A run of the system under search, from its start. */
export interface Run {
  readonly turns: Pick<Turns, 'histories' | 'stopObserving' | 'restore'>;
  run(choose: Choose): Promise<'quiet' | 'abandoned' | 'endless'>;
}

export interface ExploreOptions {
  readonly start: () => Run;
  /** Called after a run that came to an end, with the choices that lead there. */
  readonly onEnd: (how: 'quiet' | 'endless', choices: readonly number[]) => void;
  /** Called before each run. */
  readonly onStart?: (choices: () => readonly number[]) => void;
  /** Continues every state, even one that was reached before. To show that merging states loses nothing. */
  readonly mergesStates?: boolean;
  readonly maxRuns?: number;
  /** Whether the search may end before it is complete. */
  readonly isEnough?: () => boolean;
}

/** What a search covered. */
export interface Coverage {
  readonly runs: number;
  readonly states: number;
  /** The most calls of ports in one run. */
  readonly mostCalls: number;
  /** Distinct calls of ports that were observed: each process's first, second, … call. */
  readonly callsObserved: number;
  /** Distinct places of a single fault: a call, and what goes wrong there. */
  readonly faultPlaces: number;
  /** The complete schedules by number of faults, counted through merged states. */
  readonly schedules: readonly bigint[];
  readonly isComplete: boolean;
}

interface Frame {
  readonly key: string;
  readonly faults: readonly boolean[];
  readonly histories: Histories;
  choice: number;
  /** Schedules from here to an end, by number of further faults. */
  readonly schedules: bigint[];
}

/**
 * Searches every schedule, depth first. Each run starts again and repeats the choices up to where it differs. A run is
 * abandoned at a state that was searched before: a state includes everything that each process has observed, so the same
 * state has the same futures.
 */
export const explore = async (options: ExploreOptions): Promise<Coverage> => {
  const {
    start,
    onEnd,
    onStart,
    mergesStates = true,
    maxRuns = Number.POSITIVE_INFINITY,
    isEnough = () => false,
  } = options;
  /** The schedules from each finished state; undefined while it is being searched. */
  const finished = new Map<string, readonly bigint[] | undefined>();
  const frames: Frame[] = [];
  const calls = new Set<string>();
  const places = new Set<string>();
  let runs = 0;
  let mostCalls = 0;

  const countCall = (counts: Map<string, number>, { process = '', label, isCall, fault }: Alternative): void => {
    if (!isCall) return;
    const count = (counts.get(process) ?? 0) + 1;
    counts.set(process, count);
    counts.set('all', (counts.get('all') ?? 0) + 1);
    const call = `${process} ${count} ${label}`;
    calls.add(call);
    if (fault) places.add(`${call} ${fault}`);
  };

  const run = async (): Promise<readonly bigint[]> => {
    let depth = 0;
    let merged: readonly bigint[] | undefined;
    const counts = new Map<string, number>();
    const started = start();
    const { turns } = started;
    // What was observed up to the last known state is known, too.
    if (frames.length > 0) turns.stopObserving();
    const how = await started.run((alternatives, key) => {
      const known = frames[depth];
      if (known && depth === frames.length - 1) turns.restore(known.histories);
      if (known === undefined) {
        const state = mergesStates ? key() : '';
        if (mergesStates && finished.has(state)) {
          merged = finished.get(state);
          if (merged === undefined)
            throw new Error('A schedule returns to a state that it has left: it could run for ever.');
          return -1;
        }
        if (mergesStates) finished.set(state, undefined);
        const faults = alternatives.map(({ fault }) => fault !== undefined);
        frames.push({ key: state, faults, histories: turns.histories(), choice: 0, schedules: [] });
      }
      const choice = frames[depth]?.choice ?? 0;
      const chosen = alternatives[choice];
      if (chosen) countCall(counts, chosen);
      depth += 1;
      return choice;
    });
    mostCalls = Math.max(mostCalls, counts.get('all') ?? 0);
    if (how === 'abandoned') return merged ?? [];
    onEnd(how, choicesOf(frames));
    return [1n];
  };

  /** Adds what a run found to its last frame, and moves on to the next choice. */
  const backtrack = (found: readonly bigint[]): void => {
    let schedules = found;
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const shift = frame.faults[frame.choice] ? 1 : 0;
      for (const [index, count] of schedules.entries()) {
        frame.schedules[index + shift] = (frame.schedules[index + shift] ?? 0n) + count;
      }
      for (let index = 0; index < frame.schedules.length; index += 1) frame.schedules[index] ??= 0n;
      frame.choice += 1;
      if (frame.choice < frame.faults.length) return;
      if (mergesStates) finished.set(frame.key, frame.schedules);
      schedules = frame.schedules;
      frames.pop();
    }
    total = schedules;
  };
  let total: readonly bigint[] = [];

  do {
    onStart?.(() => choicesOf(frames));
    backtrack(await run());
    runs += 1;
  } while (frames.length > 0 && runs < maxRuns && !isEnough());

  return {
    runs,
    states: finished.size,
    mostCalls,
    callsObserved: calls.size,
    faultPlaces: places.size,
    schedules: total,
    isComplete: frames.length === 0,
  };
};

/** The choices where there was one to make; the others follow. */
const choicesOf = (frames: readonly Frame[]): readonly number[] =>
  frames.filter(({ faults }) => faults.length > 1).map(({ choice }) => choice);

/** Follows printed choices; where they end, takes the first alternative. */
export const replay = (choices: readonly number[], onChoice: (chosen: Alternative) => void): Choose => {
  let next = 0;
  return (alternatives) => {
    const choice = alternatives.length > 1 ? (choices[next++] ?? 0) : 0;
    const chosen = alternatives[choice];
    if (chosen) onChoice(chosen);
    return choice;
  };
};

export type { Fault };
