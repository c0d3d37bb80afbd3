import type { StageFacts } from './stage-facts.ts';

/** Collects what an invariant checked, and its violations. */
export interface Findings {
  /** Counts a check, so that an invariant that checks nothing is noticed. */
  checked(): void;
  /** @param entryIndex the entry of the ledger at which it happened */
  violated(what: string, entryIndex?: number): void;
}

/** A statement that must be true of every run of a stage. */
export interface StageInvariant {
  readonly sentence: string;
  readonly check: (facts: StageFacts, findings: Findings) => void;
}
