import type { Post } from '../world/post.ts';
import { formatOfScenario } from '../world/translate-event.ts';
import { SCENE_INVARIANTS, type SceneInvariant } from './scene-invariants.ts';
import type { SceneMutant } from './scene-mutant.ts';
import { SCENE_MUTANTS } from './scene-mutants.ts';
import type { SceneOptions } from './scene-options.ts';
import { SCENE_SCENARIOS, type SceneScenario } from './scene-scenarios.ts';
import { replayScene, type SceneResult, searchScene } from './search-scene.ts';

/** A scenario, as the command line searches it. */
export interface SearchableScenario extends Pick<SceneScenario, 'useCase' | 'about'> {
  readonly maxFaults: number;
  search(maxFaults: number): Promise<SceneResult>;
  /** Runs one schedule again. Returns a log of its steps, and the violations. */
  replay(maxFaults: number, choices: readonly number[]): ReturnType<typeof replayScene>;
}

/** A function that is broken on purpose, with the scenario in which the search finds it. */
export interface SearchableMutant extends SearchableScenario, Pick<SceneMutant, 'scenario' | 'breaks' | 'invariant'> {}

const MAX_FAULTS = 2;

const searchable = (
  { useCase, about, options, maxFaults = MAX_FAULTS }: SceneScenario,
  mutant?: SceneMutant,
): SearchableScenario => {
  const { create, allowedFaults } = mutant ?? {};
  const limits = { ...(create && { createMutation: create }), ...(allowedFaults && { allowedFaults }) };
  return {
    useCase,
    about,
    maxFaults: mutant?.maxFaults ?? maxFaults,
    search: (faults) => searchScene(options, { maxFaults: faults, ...limits }),
    replay: (faults, choices) => replayScene(options, { maxFaults: faults, ...limits }, choices),
  };
};

const mapped = <One, Other>(
  entries: Readonly<Record<string, One>>,
  map: (one: One, name: string) => Other,
): Readonly<Record<string, Other>> =>
  Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, map(one, name)]));

/** Posts the events of a scenario in the format that is drawn for it, unless it says in which format they are. */
export const inFormat = (name: string, options: SceneOptions): SceneOptions => {
  const format = formatOfScenario(name);
  const posts = options.posts?.map((post): Post => ({ format, ...post }));
  return { ...options, format, ...(posts && { posts }) };
};

export const SEARCHABLE_SCENARIOS = mapped<SceneScenario, SearchableScenario>(SCENE_SCENARIOS, (scenario, name) =>
  searchable({ ...scenario, options: inFormat(name, scenario.options) }),
);

export const SEARCHABLE_MUTANTS = mapped<SceneMutant, SearchableMutant>(SCENE_MUTANTS, (mutant) => {
  const { scenario, breaks, invariant } = mutant;
  return { ...searchable(SCENE_SCENARIOS[scenario], mutant), scenario, breaks, invariant };
});

/** What each invariant says. */
export const SENTENCES = mapped<SceneInvariant, string>(SCENE_INVARIANTS, ({ sentence }) => sentence);
