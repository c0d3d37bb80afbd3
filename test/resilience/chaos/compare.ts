import type { Check, Comparison } from './check.ts';
import { END_CHECKS } from './end-checks.ts';
import type { FaultCount } from './fault-counts.ts';
import type { Ledgers } from './ledgers.ts';
import { PUBLISHING_CHECKS } from './publishing-checks.ts';
import { RECEIVING_CHECKS } from './receiving-checks.ts';
import { RULE_CHECKS } from './rule-checks.ts';
import { SENDING_CHECKS } from './sending-checks.ts';

export const CHECKS: readonly Check[] = [
  ...RECEIVING_CHECKS,
  ...SENDING_CHECKS,
  ...RULE_CHECKS,
  ...PUBLISHING_CHECKS,
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
