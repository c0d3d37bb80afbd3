import { ANSWERED } from './defects/stage-defect.ts';
import type { StageInvariant } from './invariants/stage-invariant.ts';
import { examineRun, STAGE_INVARIANTS } from './stage-invariants.ts';
import type { StageMutation } from './stage-mutation.ts';
import type { PlayHistory } from './stage-run.ts';

/** An invariant that every run violates. If it holds, the simulation played nothing. */
export const IMPOSSIBLE_INVARIANT: StageInvariant = {
  sentence: 'Nothing is ever stored, sent, or published.',
  check(facts, { checked, violated }) {
    checked();
    for (const kind of ['write', 'call', 'published'] as const) {
      if (facts.entries(kind).length > 0) violated(`There are entries of the kind ${kind}.`);
    }
  },
};

/** Drops every write of every function. A simulation that does not notice this checks nothing. */
export const forgetEverything = (): StageMutation => ({
  table: (table) => ({ update: async ({ key }) => ({ kind: 'written', item: await table.get(key) }) }),
});

/**
 * Plays a history that violates the canary invariant, and one on a stage whose writes are all dropped.
 *
 * @returns what was not noticed; anything here means that the simulation itself is broken
 */
export const checkCanary = async (
  play: PlayHistory,
  invariants: Readonly<Record<string, StageInvariant>> = STAGE_INVARIANTS,
): Promise<readonly string[]> => {
  const whole = await play(ANSWERED);
  const broken = await play(ANSWERED, { createMutation: forgetEverything });
  const impossible = examineRun(whole, { canary: IMPOSSIBLE_INVARIANT }).violations;
  return [
    ...(impossible.length === 3 ? [] : ['A history was played, and not everything happened that happens in it.']),
    ...(examineRun(broken, invariants).violations.length > 0 ? [] : ['A stage that stores nothing was not noticed.']),
  ];
};
