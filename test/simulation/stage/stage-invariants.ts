import { BREAKER_INVARIANTS } from './invariants/breaker-invariants.ts';
import { CLAIM_INVARIANTS } from './invariants/claim-invariants.ts';
import { CONFIRMING_INVARIANTS } from './invariants/confirming-invariants.ts';
import { DECISION_INVARIANTS } from './invariants/decision-invariants.ts';
import { ERASURE_INVARIANTS } from './invariants/erasure-invariants.ts';
import { KEYWORD_INVARIANTS } from './invariants/keyword-invariants.ts';
import { LANE_INVARIANTS } from './invariants/lane-invariants.ts';
import { LAW_INVARIANTS } from './invariants/law-invariants.ts';
import { LIST_INVARIANTS } from './invariants/list-invariants.ts';
import { LIVENESS_INVARIANTS } from './invariants/liveness-invariants.ts';
import { MANAGING_INVARIANTS } from './invariants/managing-invariants.ts';
import { PUBLISHING_INVARIANTS } from './invariants/publishing-invariants.ts';
import { RECEIVING_STAGE_INVARIANTS } from './invariants/receiving-invariants.ts';
import { RECORD_INVARIANTS } from './invariants/record-invariants.ts';
import { createStageFacts } from './invariants/stage-facts.ts';
import type { StageInvariant } from './invariants/stage-invariant.ts';
import { TURN_INVARIANTS } from './invariants/turn-invariants.ts';
import type { StageRun } from './stage-run.ts';

/** The invariants of every run of a stage. */
export const STAGE_INVARIANTS = {
  ...RECEIVING_STAGE_INVARIANTS,
  ...KEYWORD_INVARIANTS,
  ...CONFIRMING_INVARIANTS,
  ...CLAIM_INVARIANTS,
  ...DECISION_INVARIANTS,
  ...RECORD_INVARIANTS,
  ...LANE_INVARIANTS,
  ...BREAKER_INVARIANTS,
  ...PUBLISHING_INVARIANTS,
  ...TURN_INVARIANTS,
  ...MANAGING_INVARIANTS,
  ...ERASURE_INVARIANTS,
  ...LAW_INVARIANTS,
  ...LIST_INVARIANTS,
  ...LIVENESS_INVARIANTS,
} as const satisfies Record<string, StageInvariant>;

export type StageInvariantName = keyof typeof STAGE_INVARIANTS;

// Object.keys widens the names to string.
export const STAGE_INVARIANT_NAMES = Object.keys(STAGE_INVARIANTS) as readonly StageInvariantName[];

/** A violation of an invariant. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
  /** The place in the ledger where it happened, if there is one. */
  readonly entryIndex?: number;
}

export interface Examination {
  readonly violations: readonly Violation[];
  /** The number of things that each invariant checked. */
  readonly checks: Readonly<Record<string, number>>;
}

/** Compares what Parley recorded with what happened, and counts the comparisons. */
export const examineRun = (
  run: StageRun,
  invariants: Readonly<Record<string, StageInvariant>> = STAGE_INVARIANTS,
): Examination => {
  const facts = createStageFacts(run);
  const violations: Violation[] = [];
  const checks: Record<string, number> = {};
  for (const [invariant, { check }] of Object.entries(invariants)) {
    let count = 0;
    check(facts, {
      checked: () => {
        count += 1;
      },
      violated: (what, entryIndex) => {
        violations.push({ invariant, what, ...(entryIndex !== undefined && { entryIndex }) });
      },
    });
    checks[invariant] = count;
  }
  return { violations, checks };
};

/** Returns the violations in a run. */
export const checkRun = (run: StageRun): readonly Violation[] => examineRun(run).violations;
