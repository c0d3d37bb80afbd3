import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SEND_TRANSITIONS, type SendTransitionName } from '../../../lambdas/domain/send-transitions.ts';
import { ROUTES } from '../../../lambdas/manage/api/routes.ts';
import { SCENE_SCENARIOS, type SceneScenario } from './scene-scenarios.ts';
import { searchScene } from './search-scene.ts';
import { ENTRY_POINTS, TRANSITION_SCENARIOS } from './use-cases.ts';

const scenarios = Object.values<SceneScenario>(SCENE_SCENARIOS);
const LAMBDAS = new URL('../../../lambdas/', import.meta.url);

describe('every use case of the product is searched', () => {
  it('calls each route of the management API', () => {
    const called = new Set(
      scenarios.flatMap(({ options }) => options.callers?.map(({ request }) => request.route) ?? []),
    );

    expect(Object.keys(ROUTES).filter((route) => !called.has(route as keyof typeof ROUTES))).toEqual([]);
  });

  it('knows each function', () => {
    const functions = readdirSync(LAMBDAS).filter((name) => readdirSyncOf(name).includes('entry.ts'));

    expect(Object.keys(ENTRY_POINTS).toSorted()).toEqual(functions.toSorted());
  });

  it('starts each function in each way', () => {
    const unsearched = Object.values(ENTRY_POINTS).flatMap((points) =>
      Object.entries(points).filter(([, isStarted]) => !scenarios.some(({ options }) => isStarted(options))),
    );

    expect(unsearched.map(([name]) => name)).toEqual([]);
  });

  it.for(Object.keys(SEND_TRANSITIONS) as SendTransitionName[])(
    'makes each transition of a send: %s',
    async (name, { signal }) => {
      const [scenario, ...allowedFaults] = TRANSITION_SCENARIOS[name];
      const { options } = SCENE_SCENARIOS[scenario];
      const witnessed = new Set<string>();

      await searchScene(options, {
        maxFaults: allowedFaults.length,
        allowedFaults,
        onTransition: (transition) => witnessed.add(transition),
        until: () => witnessed.has(name),
        signal,
      });

      expect([...witnessed]).toContain(name);
    },
  );
});

const readdirSyncOf = (name: string): readonly string[] => {
  try {
    return readdirSync(new URL(`${name}/`, LAMBDAS));
  } catch {
    return [];
  }
};
