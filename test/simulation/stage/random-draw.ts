import { createRandom } from '../../support/random.ts';

/** Draws values from a seed. The same seed draws the same values in the same order. */
export interface Draw {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  chance(probability: number): boolean;
  /** Returns an integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number;
  /** Returns a number from `min` to `max` whose order of magnitude is uniformly distributed. */
  magnitude(min: number, max: number): number;
  pick<Entry>(entries: readonly Entry[]): Entry;
  /** Returns one of the names whose weight is not 0. */
  weighted<Name extends string>(weights: Weights<Name>): Name;
}

export type Weights<Name extends string> = Readonly<Record<Name, number>>;

export const createDraw = (seed: number): Draw => {
  const random = createRandom(seed);
  const chance = (probability: number) => random() < probability;
  const integer = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const pick = <Entry>(entries: readonly Entry[]): Entry => {
    const entry = entries[integer(0, entries.length - 1)];
    if (entry === undefined) throw new Error('There is nothing to pick from.');
    return entry;
  };
  return {
    random,
    chance,
    integer,
    magnitude: (min, max) => min * (max / min) ** random(),
    pick,
    weighted(weights) {
      const possible = namesOf(weights).filter((name) => weights[name] > 0);
      let left = random() * possible.reduce((sum, name) => sum + weights[name], 0);
      for (const name of possible) {
        left -= weights[name];
        if (left < 0) return name;
      }
      return pick(possible);
    },
  };
};

/** The keys of an object literal, which has no others than those of its type. */
export const namesOf = <Name extends string>(named: Readonly<Partial<Record<Name, unknown>>>): readonly Name[] =>
  Object.keys(named) as Name[];

/**
 * Switches off each name with some probability, and varies the weights of the others over two orders of magnitude. A
 * run in which everything happens a little rarely gets deep into anything. What is left out matters as much as what is
 * included.
 * Source: Groce, Zhang, Eide, Chen, Regehr, "Swarm Testing", ISSTA 2012, https://doi.org/10.1145/2338965.2336763
 */
export const swarm = <Name extends string>(draw: Draw, weights: Weights<Name>, offProbability = 0.4): Weights<Name> => {
  const drawn: Record<Name, number> = { ...weights };
  for (const name of namesOf(weights)) {
    const factor = draw.magnitude(0.2, 5);
    drawn[name] = draw.chance(offProbability) ? 0 : weights[name] * factor;
  }
  return drawn;
};
