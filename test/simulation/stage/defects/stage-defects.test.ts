import { describe, expect, it } from 'vitest';
import { playHistory } from '../play-history.ts';
import { checkRun, STAGE_INVARIANT_NAMES } from '../stage-invariants.ts';
import { STAGE_DEFECTS } from './stage-defects.ts';

describe('a stage that is broken on purpose', () => {
  it.each(Object.entries(STAGE_DEFECTS))(
    'is noticed, and the same stage keeps every invariant when it is whole: %s',
    async (_, defect) => {
      const { create, history, invariant } = defect;

      const broken = checkRun(await playHistory(history, { createMutation: create }));
      const whole = checkRun(await playHistory(history));

      expect(broken.map((violation) => violation.invariant)).toContain(invariant);
      expect(whole).toEqual([]);
    },
  );

  it('there is one for every invariant', () => {
    const noticed = new Set(Object.values(STAGE_DEFECTS).map(({ invariant }) => invariant));
    expect(STAGE_INVARIANT_NAMES.filter((name) => !noticed.has(name))).toEqual([]);
  });
});
