import type { Check, Comparison } from './check.ts';
import { END_CHECKS } from './end-checks.ts';
import { ERASURE_CHECKS } from './erasure-checks.ts';
import type { FaultCount } from './fault-counts.ts';
import type { Ledgers } from './ledgers.ts';
import { PUBLISHING_CHECKS } from './publishing-checks.ts';
import { RECEIVING_CHECKS } from './receiving-checks.ts';
import { REFUSAL_CHECKS } from './refusal-checks.ts';
import { RULE_CHECKS } from './rule-checks.ts';
import { SENDING_CHECKS } from './sending-checks.ts';

export const CHECKS: readonly Check[] = [
  ...RECEIVING_CHECKS,
  ...SENDING_CHECKS,
  ...RULE_CHECKS,
  ...REFUSAL_CHECKS,
  ...PUBLISHING_CHECKS,
  ...ERASURE_CHECKS,
  ...END_CHECKS,
];

export type CheckResult = Comparison & { readonly name: string };

/** Compares all ledgers of a run. */
export const compareLedgers = (ledgers: Ledgers): readonly CheckResult[] =>
  CHECKS.map(({ name, compare }) => ({ name, ...compare(ledgers) }));

export const WITNESS = 'every fault was injected';

/** Reports each fault that a full-length run never injected as a violation. */
export const compareFaults = (faults: readonly FaultCount[]): CheckResult => ({
  name: WITNESS,
  compared: faults.length,
  violations: faults
    .filter(({ count }) => count === 0)
    .map(({ part, fault }) => ({ id: `${part}: ${fault}`, why: 'was never injected' })),
});

export const NOTHING_IDLE = 'every check had something to compare';

/** Reports each check of a full-length run that compared nothing, because such a check cannot fail. */
export const compareNothingIdle = (checks: readonly CheckResult[]): CheckResult => ({
  name: NOTHING_IDLE,
  compared: checks.length,
  violations: checks.filter(({ compared }) => compared === 0).map(({ name: id }) => ({ id, why: 'compared nothing' })),
});
