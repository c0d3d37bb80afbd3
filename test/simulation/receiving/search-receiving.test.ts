import { describe, expect, it } from 'vitest';
import { inFormat } from '../search/searchable.ts';
import { KNOWN_RECEIVING_DEFECTS } from './known-receiving-defects.ts';
import type { ReceivingMutant } from './receiving-mutant.ts';
import { RECEIVING_MUTANTS } from './receiving-mutants.ts';
import { RECEIVING_SCENARIOS, type ReceivingScenario } from './receiving-scenarios.ts';
import { replayReceiving, searchReceiving } from './search-receiving.ts';

/** An erasure makes many calls, so `explore-receiving.test.ts` searches its scenario. */
const scenarios = Object.entries<ReceivingScenario>(RECEIVING_SCENARIOS).filter(([name]) => name !== 'erased');
const mutants: readonly (readonly [string, ReceivingMutant])[] = Object.entries(RECEIVING_MUTANTS);

/** The known defects, as `scenario: invariant`. */
const KNOWN = Object.entries(KNOWN_RECEIVING_DEFECTS)
  .flatMap(([invariant, { scenarios: where }]) => where.map((scenario) => `${scenario}: ${invariant}`))
  .toSorted();

describe('every schedule of the deliveries of two events', () => {
  const found = new Set<string>();

  it.each(scenarios)('keeps the invariants, but for known defects: %s', async (name, { options, slice = [] }) => {
    const { isComplete, violations } = await searchReceiving(inFormat(name, options), {
      maxFaults: 1,
      allowedFaults: slice,
    });

    expect(isComplete).toBe(true);
    const violated = violations.map(({ invariant }) => `${name}: ${invariant}`);
    expect(violated.filter((one) => !KNOWN.includes(one))).toEqual([]);
    for (const one of violated) found.add(one);
  });

  it('shows every known defect still', () => {
    expect([...found].toSorted()).toEqual(KNOWN);
  });
});

describe('the search finds a function `receive` that is broken on purpose', () => {
  it.each(mutants)('%s', async (_, { scenario, create, invariant, maxFaults, allowedFaults }) => {
    const { options } = RECEIVING_SCENARIOS[scenario];
    const limits = { maxFaults, ...(allowedFaults && { allowedFaults }) };

    const broken = await searchReceiving(options, { ...limits, createMutation: create });

    expect(Object.keys(broken.violating)).toContain(invariant);
    if (KNOWN.includes(`${scenario}: ${invariant}`)) return;
    const intact = await searchReceiving(options, limits);
    expect(Object.keys(intact.violating)).not.toContain(invariant);
  });

  it('and shows a schedule that can be run again', async () => {
    const { options } = RECEIVING_SCENARIOS.messageAndEcho;
    const { create, maxFaults, allowedFaults } = RECEIVING_MUTANTS.acknowledgedTooEarly;
    const limits = { maxFaults, allowedFaults, createMutation: create };
    const { violations } = await searchReceiving(options, limits);
    const choices = violations.find(({ invariant }) => invariant === 'nothingLost')?.choices ?? [];

    const replayed = await replayReceiving(options, limits, choices);

    expect(replayed.violated).toContain('nothingLost');
    expect(replayed.lines.some((line) => line.includes('fails-before'))).toBe(true);
  });
});
