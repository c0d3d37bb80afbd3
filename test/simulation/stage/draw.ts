/**
 * Choices that depend only on a seed and on what they are about, never on earlier choices, so that removing a part of a
 * history changes the rest as little as possible.
 */
export interface Draw {
  /** Identifies the subject of a choice. */
  identify(what: string): number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). `aspect` distinguishes the choices about one thing. */
  fraction(identity: number, aspect: number): number;
}

/** Source: https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp, "fmix32" */
const mix = (value: number): number => {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** Source: http://www.isthe.com/chongo/tech/comp/fnv/ */
export const hashText = (text: string, start = 0x811c9dc5): number => {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

export const createDraw = (seed: number): Draw => {
  const start = mix(seed ^ 0x9e3779b9);
  return {
    identify: (what) => mix(hashText(what, start)),
    fraction: (identity, aspect) => mix(identity + Math.imul(aspect + 1, 0x9e3779b1)) / 2 ** 32,
  };
};
