/**
 * Creates a pseudorandom number generator. The same seed gives the same numbers, from 0 (inclusive) to 1 (exclusive).
 * Source: https://github.com/bryc/code/blob/master/jshash/PRNGs.md, "mulberry32"
 */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
