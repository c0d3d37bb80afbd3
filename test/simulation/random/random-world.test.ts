import { describe, expect, it } from 'vitest';
import { KNOWN_DEFECTS } from '../search/known-defects.ts';
import { runRandomWorld } from './random-world.ts';

const SEEDS = Array.from({ length: 100 }, (_, seed) => seed);

describe('a stage whose every choice is drawn from a seed', () => {
  it('keeps the invariants, but for known defects', async () => {
    const violations: string[] = [];
    for (const seed of SEEDS) {
      const { violated } = await runRandomWorld(seed);
      const unknown = violated.filter(({ invariant }) => KNOWN_DEFECTS[invariant] === undefined);
      violations.push(...unknown.map(({ invariant, what }) => `seed ${seed}: ${invariant}: ${what}`));
    }
    expect(violations).toEqual([]);
  });

  it('repeats a run from its seed', async () => {
    const [one, again, other] = [await runRandomWorld(7), await runRandomWorld(7), await runRandomWorld(8)];
    expect(again).toEqual(one);
    expect(other.lines).not.toEqual(one.lines);
  });
});
