import type { InvariantName } from './invariants.ts';

/** What the search finds and nobody has fixed yet. An entry must go when its defect does. */
export const KNOWN_DEFECTS: Readonly<Partial<Record<InvariantName, string>>> = {
  optOutObeyedFromClaim: 'The contact is read before the claim; an opt-out between the two does not count.',
};
