import { describe, expect, it } from 'vitest';
import { formatOfScenario } from '../world/translate-event.ts';
import type { InvariantName } from './invariants.ts';
import { KNOWN_DEFECTS } from './known-defects.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { replayRun, search } from './search.ts';

const scenarios = Object.entries<Scenario>(SCENARIOS).filter(([, { isSlow = false }]) => !isSlow);
const mutants: readonly (readonly [string, Mutant])[] = Object.entries(MUTANTS);

describe('every schedule of two deliveries of a request', () => {
  const found = new Set<InvariantName>();

  it.each(scenarios)(
    'keeps the invariants, but for known defects: %s',
    async (name, { options: plain, slice = [] }) => {
      const options = { ...plain, format: formatOfScenario(name) };
      const { isComplete, violations } = await search(options, { maxFaults: 1, allowedFaults: slice });

      expect(isComplete).toBe(true);
      expect(violations.filter(({ invariant }) => KNOWN_DEFECTS[invariant] === undefined)).toEqual([]);
      for (const { invariant } of violations) found.add(invariant);
    },
  );

  it('shows every known defect still', () => {
    expect([...found].toSorted()).toEqual(Object.keys(KNOWN_DEFECTS).toSorted());
  });
});

/** The invariants that do not hold with these limits, without a mutant. */
const withoutMutant = new Map<string, Promise<readonly string[]>>();
const violatedWithoutMutant = ({ scenario, maxFaults, allowedFaults }: Mutant): Promise<readonly string[]> => {
  const key = JSON.stringify([scenario, maxFaults, allowedFaults]);
  const searched =
    withoutMutant.get(key) ??
    search(SCENARIOS[scenario].options, { maxFaults, ...(allowedFaults && { allowedFaults }) }).then(({ violating }) =>
      Object.keys(violating),
    );
  withoutMutant.set(key, searched);
  return searched;
};

describe('the search finds a function that is broken on purpose', () => {
  it.each(mutants)('%s', async (_, mutant) => {
    const { scenario, create, invariant, maxFaults, allowedFaults } = mutant;
    const { options } = SCENARIOS[scenario];

    const limits = { maxFaults, ...(allowedFaults && { allowedFaults }) };
    const broken = await search(options, { ...limits, createMutation: create });

    expect(Object.keys(broken.violating)).toContain(invariant);
    if (KNOWN_DEFECTS[invariant] === undefined) expect(await violatedWithoutMutant(mutant)).not.toContain(invariant);
  });

  it('and shows a schedule that can be run again', async () => {
    const { options } = SCENARIOS.plain;
    const { create, maxFaults } = MUTANTS.unconditionalClaim;
    const { violations } = await search(options, { maxFaults, createMutation: create });
    const choices = violations.find(({ invariant }) => invariant === 'sentOnce')?.choices ?? [];

    const replayed = await replayRun(options, { maxFaults, createMutation: create }, choices);

    expect(replayed.violated).toContain('sentOnce');
    expect(replayed.lines.filter((line) => line.includes('call message/v3'))).toHaveLength(2);
  });
});
