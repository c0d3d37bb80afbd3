import type { ReceivingInvariantName } from './receiving-invariants.ts';
import type { ReceivingScenarioName } from './receiving-scenarios.ts';

interface KnownDefect {
  readonly what: string;
  /** The scenarios in which the search finds it, with the faults of their slice. */
  readonly scenarios: readonly ReceivingScenarioName[];
}

/** What the search finds and nobody has fixed yet. An entry must go when its defect does. */
export const KNOWN_RECEIVING_DEFECTS: Readonly<Partial<Record<ReceivingInvariantName, KnownDefect>>> = {};
