import { createHash } from 'node:crypto';
import { createRandom } from '../../support/random.ts';

/** Chooses which calls of one part get which fault. The same seed and part choose the same calls. */
export interface FaultDeck<Fault> {
  /** Returns the fault of the next call, or undefined if it has none. */
  next(): Fault | undefined;
  random(): number;
}

/** Creates the random numbers of one part of a run, so that one part's calls do not change another part's faults. */
export const createPartRandom = (seed: number, part: string): (() => number) =>
  createRandom(createHash('sha256').update(`${seed} ${part}`).digest().readInt32LE());

/** Creates a deck that deals every fault once before it repeats any. The share `rate` of the calls gets a fault. */
export const createFaultDeck = <Fault>(
  seed: number,
  part: string,
  { rate, faults }: { readonly rate: number; readonly faults: readonly Fault[] },
): FaultDeck<Fault> => {
  const random = createPartRandom(seed, part);
  let cards: Fault[] = [];
  const gap = () => Math.floor(Math.log(1 - random()) / Math.log(1 - rate));
  let remaining = gap();
  return {
    random,
    next() {
      remaining -= 1;
      if (remaining >= 0) return undefined;
      remaining = gap();
      if (cards.length === 0) cards = shuffle(faults, random);
      return cards.pop();
    },
  };
};

export const shuffle = <Entry>(entries: readonly Entry[], random: () => number): Entry[] =>
  entries
    .map((entry) => ({ entry, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ entry }) => entry);
