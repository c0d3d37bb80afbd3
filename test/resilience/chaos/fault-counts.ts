import {
  CALL_FAULTS,
  ENTRIES,
  ENTRY_FAULTS,
  INVOCATION_FAULTS,
  INVOCATIONS,
  KILLED,
  KILLED_FUNCTIONS,
  OUTAGES,
  PART_NAMES,
  PARTS,
  SANDBOX,
  SANDBOX_FAULTS,
} from './parts.ts';

/** Counts the injected faults, by part and fault. */
export interface FaultCounts {
  add(part: string, fault: string): void;
  /** Returns one row per fault, including those that were never injected. */
  rows(): readonly FaultCount[];
}

export interface FaultCount {
  readonly part: string;
  readonly fault: string;
  readonly count: number;
}

/** Every fault of every part that a full-length run must inject. */
const ALL: readonly (readonly [part: string, faults: readonly string[]])[] = [
  ...PART_NAMES.map((part) => [PARTS[part].name, [...CALL_FAULTS, ...OUTAGES]] as const),
  [INVOCATIONS.name, INVOCATION_FAULTS],
  ...KILLED_FUNCTIONS.map((name) => [functionPart(name), [KILLED]] as const),
  [ENTRIES.name, ENTRY_FAULTS],
  [SANDBOX.name, SANDBOX_FAULTS],
];

export function functionPart(name: string): string {
  return `function ${name.toLowerCase()}`;
}

export const createFaultCounts = (): FaultCounts => {
  const counts = new Map<string, number>();
  const keyOf = (part: string, fault: string) => JSON.stringify([part, fault]);
  return {
    add(part, fault) {
      const key = keyOf(part, fault);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    rows: () =>
      ALL.flatMap(([part, faults]) =>
        faults.map((fault) => ({ part, fault, count: counts.get(keyOf(part, fault)) ?? 0 })),
      ),
  };
};
