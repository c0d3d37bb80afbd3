import { createPartRandom } from './fault-deck.ts';

/** Draws values from random numbers between 0 and 1. */
export interface Draw {
  readonly random: () => number;
  readonly pick: <Entry>(entries: readonly Entry[]) => Entry;
  readonly isLikely: (probability: number) => boolean;
  readonly between: (min: number, max: number) => number;
}

export const createDraw = (seed: number, what: string): Draw => {
  const random = createPartRandom(seed, what);
  return {
    random,
    pick(entries) {
      const entry = entries[Math.floor(random() * entries.length)];
      if (entry === undefined) throw new Error('There is nothing to pick from.');
      return entry;
    },
    isLikely: (probability) => random() < probability,
    between: (min, max) => Math.floor(min + random() * (max - min)),
  };
};
