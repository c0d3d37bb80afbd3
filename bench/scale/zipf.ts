/** Ranks that are drawn with Zipf's law: the first is drawn twice as often as the second, and so on. */
export interface Zipf {
  /** Returns a rank from 0. @param random A number from 0 (inclusive) to 1 (exclusive). */
  readonly draw: (random: number) => number;
  /** The share of the draws that are rank 0. */
  readonly hottestShare: number;
}

/** @throws RangeError if there are no ranks. */
export const createZipf = (ranks: number): Zipf => {
  if (ranks < 1) throw new RangeError('At least one rank is required.');
  const cumulative = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank += 1) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  return {
    draw(random) {
      const target = random * sum;
      let [low, high] = [0, ranks - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((cumulative[middle] ?? 0) > target) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    hottestShare: 1 / sum,
  };
};
