import type { History } from './history.ts';
import type { Examination } from './stage-invariants.ts';
import type { PlayHistory, StageRun } from './stage-run.ts';
import type { ShownViolation } from './timeline.ts';

/** Plays a history and checks the run. */
export interface Simulation {
  readonly play: PlayHistory;
  readonly examine: (run: StageRun) => Examination;
}

export type HistoryResult =
  | ({ readonly kind: 'played'; readonly run: StageRun } & Examination)
  /** The functions or the world threw an error that nothing handled. */
  | { readonly kind: 'crashed'; readonly violations: readonly ShownViolation[] };

/** The invariant that a history violates if it cannot be played to its end. */
const CRASHED = 'runEnds';

/** Plays a history and checks the run. An error counts as a violation. */
export const runHistory = async (history: History, { play, examine }: Simulation): Promise<HistoryResult> => {
  try {
    const run = await play(history);
    return { kind: 'played', run, ...examine(run) };
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: 'crashed', violations: [{ invariant: CRASHED, what }] };
  }
};

/** Returns the ids of the faults that happened in a run. */
export const faultsIn = ({ ledger }: Pick<StageRun, 'ledger'>): readonly string[] =>
  ledger.entries.flatMap((entry) => (entry.kind === 'fault' ? [entry.id] : []));

/** Counts the events of a run: acts, delivery attempts, queued messages, and due requests. */
export const eventsIn = ({ ledger }: Pick<StageRun, 'ledger'>): number =>
  ledger.entries.filter(({ kind }) => EVENT_KINDS.has(kind)).length;

const EVENT_KINDS: ReadonlySet<string> = new Set(['act', 'delivery', 'queued', 'schedule-fired']);
