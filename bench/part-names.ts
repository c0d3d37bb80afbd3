/** The parts of the benchmark. */
export const PART_NAMES = ['coldstart', 'warm', 'load', 'scale', 'cost', 'turns', 'options', 'ingress'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** The page of docs/ that has the results of each part. */
export const PART_PAGES: Readonly<Record<PartName, 'performance.md' | 'cost.md'>> = {
  coldstart: 'performance.md',
  warm: 'performance.md',
  load: 'performance.md',
  scale: 'performance.md',
  cost: 'cost.md',
  turns: 'cost.md',
  options: 'cost.md',
  ingress: 'cost.md',
};
