import type { Ledgers } from './ledgers.ts';

/** A statement that must hold for every entry that it is about. */
export interface Check {
  readonly name: string;
  /** Compares ledgers. Returns how many entries it compared, and those that break the statement. */
  readonly compare: (ledgers: Ledgers) => Comparison;
}

export interface Comparison {
  readonly compared: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  /** Of an event, a request, a message, or a contact. */
  readonly id: string;
  readonly why: string;
}

/** Compares entries one by one. @param faultOf returns why an entry breaks the statement */
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
