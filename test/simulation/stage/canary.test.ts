import { describe, expect, it } from 'vitest';
import { checkCanary } from './canary.ts';
import { STAGE_DEFECTS } from './defects/stage-defects.ts';
import { playHistory } from './play-history.ts';
import { examineRun, STAGE_INVARIANT_NAMES } from './stage-invariants.ts';

describe('a simulation that checks nothing is noticed', () => {
  it('because a canary fails in this one', async () => {
    expect(await checkCanary(playHistory)).toEqual([]);
  });

  it('if nothing is played', async () => {
    const playNothing: typeof playHistory = (history, options) => playHistory({ ...history, acts: [] }, options);
    expect(await checkCanary(playNothing)).toHaveLength(2);
  });

  it('if no invariant is checked', async () => {
    expect(await checkCanary(playHistory, {})).toEqual(['A stage that stores nothing was not noticed.']);
  });

  it('if an invariant never finds anything to check', async () => {
    const checked = new Set<string>();
    for (const history of new Set(Object.values(STAGE_DEFECTS).map((defect) => defect.history))) {
      const { checks } = examineRun(await playHistory(history));
      for (const [name, count] of Object.entries(checks)) if (count > 0) checked.add(name);
    }
    expect(STAGE_INVARIANT_NAMES.filter((name) => !checked.has(name))).toEqual([]);
  });
});
