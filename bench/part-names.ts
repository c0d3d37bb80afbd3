/** The parts of the benchmark, in the order of docs/performance.md. */
export const PART_NAMES = ['coldstart', 'warm', 'load', 'scale', 'cost'] as const;
export type PartName = (typeof PART_NAMES)[number];
