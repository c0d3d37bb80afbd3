/** The parts of the benchmark that docs/performance.md shows, in its order. */
export const PERFORMANCE_PARTS = ['coldstart', 'warm', 'load', 'scale'] as const;
export type PerformancePart = (typeof PERFORMANCE_PARTS)[number];

/** The parts of the benchmark. docs/cost.md shows the others. */
export const PART_NAMES = [...PERFORMANCE_PARTS, 'cost', 'turns', 'options', 'ingress'] as const;
export type PartName = (typeof PART_NAMES)[number];
