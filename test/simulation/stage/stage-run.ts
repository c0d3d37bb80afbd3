import type { Item } from '../../../lambdas/table/item.ts';
import type { Fault } from '../world/faults.ts';
import type { History } from './history.ts';
import type { Ledger, LedgerEntry, QueueName } from './ledger.ts';
import type { StageMutation } from './stage-mutation.ts';

/** The result of a run: what happened, and what is left. */
export interface StageRun {
  readonly history: History;
  readonly ledger: Ledger;
  /** `endless` if the run was still active a long time after the last act and fault. */
  readonly how: 'quiet' | 'endless';
  /** The items by `pk sk`. */
  readonly items: ReadonlyMap<string, Item>;
  /** The messages left on each queue. */
  readonly queued: Readonly<Record<QueueName, readonly QueuedMessage[]>>;
  /** The requests that still have a schedule. */
  readonly scheduled: readonly string[];
  /**
   * Every kind of call of a port that was made, as `function call`, with the faults that are possible there. The ledger
   * names a fault's function and call in the same words.
   */
  readonly possibleFaults: ReadonlyMap<string, ReadonlySet<Fault>>;
  /** When the last act or fault happened, and when the run ended; milliseconds since the epoch. */
  readonly calmAtMs: number;
  readonly endedAtMs: number;
}

export interface QueuedMessage {
  readonly body: string;
  readonly reason: string | undefined;
}

/** Called with each entry while the run goes on. */
export type OnEntry = (entry: LedgerEntry) => void;

/** Plays a history on a stage in memory until it is quiet. */
export type PlayHistory = (history: History, options?: PlayOptions) => Promise<StageRun>;

export interface PlayOptions {
  readonly onEntry?: OnEntry;
  /** Breaks functions on purpose; called for each process of each function. */
  readonly createMutation?: () => StageMutation;
}

export type { StageMutation };
