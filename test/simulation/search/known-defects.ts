import type { InvariantName } from './invariants.ts';

/** What the search finds and nobody has fixed yet. An entry must go when its defect does. */
export const KNOWN_DEFECTS: Readonly<Partial<Record<InvariantName, string>>> = {};
