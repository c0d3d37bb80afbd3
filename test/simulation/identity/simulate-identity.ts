import type { SeedRange } from '../stage/simulate-seeds.ts';
import { drawIdentityHistory } from './draw-identity.ts';
import type { IdentityInvariantName } from './identity-invariants.ts';
import { IDENTITY_WITNESSES, type IdentityWitness } from './identity-witnesses.ts';
import { playIdentity } from './play-identity.ts';

/** The results of a range of seeds. */
export interface IdentityResult {
  readonly seeds: number;
  /** In how many histories each was seen. */
  readonly witnesses: Readonly<Record<IdentityWitness, number>>;
  readonly failures: readonly {
    readonly seed: number;
    readonly invariant: IdentityInvariantName;
    readonly what: string;
  }[];
}

const countsOf = (count: (witness: IdentityWitness) => number): IdentityResult['witnesses'] =>
  // The names are those of the type.
  Object.fromEntries(IDENTITY_WITNESSES.map((name) => [name, count(name)])) as IdentityResult['witnesses'];

export const NO_IDENTITIES: IdentityResult = { seeds: 0, witnesses: countsOf(() => 0), failures: [] };

export const addIdentities = (one: IdentityResult, other: IdentityResult): IdentityResult => ({
  seeds: one.seeds + other.seeds,
  witnesses: countsOf((name) => one.witnesses[name] + other.witnesses[name]),
  failures: [...one.failures, ...other.failures].toSorted((left, right) => left.seed - right.seed),
});

/** Draws and plays the histories of a range of seeds. */
export const simulateIdentities = async ({ from, seeds }: SeedRange): Promise<IdentityResult> => {
  let total = NO_IDENTITIES;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { witnesses, violations } = await playIdentity(drawIdentityHistory(seed));
    total = addIdentities(total, {
      seeds: 1,
      witnesses: countsOf((name) => (witnesses.has(name) ? 1 : 0)),
      failures: violations.map(({ invariant, what }) => ({ seed, invariant, what })),
    });
  }
  return total;
};

/** Returns what never happened. */
export const unwitnessed = ({ witnesses }: IdentityResult): readonly IdentityWitness[] =>
  IDENTITY_WITNESSES.filter((name) => witnesses[name] === 0);
