import type { StageFacts } from './stage-facts.ts';

/** What an invariant looked at, and what contradicts it. */
export interface Findings {
  /** Counts something that the invariant has checked, so that one that checks nothing is noticed. */
  checked(): void;
  /** @param entryIndex the entry of the ledger at which it happened */
  violated(what: string, entryIndex?: number): void;
}

/** A sentence that must be true of every run of a stage. */
export interface StageInvariant {
  readonly sentence: string;
  readonly check: (facts: StageFacts, findings: Findings) => void;
}
