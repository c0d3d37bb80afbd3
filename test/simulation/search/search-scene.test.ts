import { describe, expect, it } from 'vitest';
import { SCENE_INVARIANTS } from './scene-invariants.ts';
import type { SceneMutant } from './scene-mutant.ts';
import { SCENE_MUTANTS } from './scene-mutants.ts';
import { SCENE_SCENARIOS, type SceneScenario } from './scene-scenarios.ts';
import { replayScene, searchScene } from './search-scene.ts';
import { inFormat } from './searchable.ts';

const scenarios = Object.entries<SceneScenario>(SCENE_SCENARIOS).filter(([, { isSlow = false }]) => !isSlow);
const mutants: readonly (readonly [string, SceneMutant])[] = Object.entries(SCENE_MUTANTS);

describe('every schedule of several functions on one table', () => {
  it.for(scenarios)('keeps the invariants: %s', async ([name, { options: plain, slice = [] }], { signal }) => {
    const options = inFormat(name, plain);
    const limits = { maxFaults: 1, allowedFaults: slice, signal };
    const { isComplete, violations } = await searchScene(options, limits);

    expect({ isComplete, violations }).toEqual({ isComplete: true, violations: [] });
  });
});

describe('the search finds a function that is broken on purpose', () => {
  it.for(mutants)('%s', async ([, { scenario, create, invariant, maxFaults, allowedFaults }], { signal }) => {
    const found = { createMutation: create, until: invariant };
    const limits = { maxFaults, ...(allowedFaults && { allowedFaults }), ...found, signal };

    const { violating } = await searchScene(SCENE_SCENARIOS[scenario].options, limits);

    expect(Object.keys(violating)).toContain(invariant);
  });

  it('for each invariant', () => {
    const broken = new Set<string>(mutants.map(([, { invariant }]) => invariant));

    expect(Object.keys(SCENE_INVARIANTS).filter((name) => !broken.has(name))).toEqual([]);
  });

  it('and shows a schedule that can be run again', async () => {
    const { create, scenario, invariant, maxFaults } = SCENE_MUTANTS.cancelledWithoutCondition;
    const { options } = SCENE_SCENARIOS[scenario];
    const limits = { maxFaults, createMutation: create };
    const { violations } = await searchScene(options, { ...limits, until: invariant });
    const choices = violations.find((violation) => violation.invariant === invariant)?.choices ?? [];

    const replayed = await replayScene(options, limits, choices);

    expect(replayed.violated).toContain(invariant);
    expect(replayed.lines.some((line) => line.includes('call message/v3'))).toBe(true);
  });
});
