import type { Ledgers } from './ledgers.ts';

/** A named check, which must hold for every entry that it compares. */
export interface Check {
  readonly name: string;
  /** Compares the ledgers. Returns the number of compared entries and the violations. */
  readonly compare: (ledgers: Ledgers) => Comparison;
}

export interface Comparison {
  readonly compared: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  /** The ID of an event, a request, a message, or a contact. */
  readonly id: string;
  readonly why: string;
}

/** Compares entries one by one. @param faultOf returns what is wrong with an entry, or undefined */
export const compareEach = <Entry>(
  entries: Iterable<Entry>,
  idOf: (entry: Entry) => string,
  faultOf: (entry: Entry) => string | undefined,
): Comparison => {
  const violations: Violation[] = [];
  let compared = 0;
  for (const entry of entries) {
    compared += 1;
    const why = faultOf(entry);
    if (why !== undefined) violations.push({ id: idOf(entry), why });
  }
  return { compared, violations };
};

export const joinComparisons = (...comparisons: readonly Comparison[]): Comparison => ({
  compared: comparisons.reduce((sum, { compared }) => sum + compared, 0),
  violations: comparisons.flatMap(({ violations }) => violations),
});
