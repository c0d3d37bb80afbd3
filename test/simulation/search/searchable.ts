import { SCENE_INVARIANTS } from '../scene/scene-invariants.ts';
import type { SceneMutant } from '../scene/scene-mutant.ts';
import { SCENE_MUTANTS } from '../scene/scene-mutants.ts';
import { SCENE_SCENARIOS, type SceneScenario } from '../scene/scene-scenarios.ts';
import { replayScene, searchScene } from '../scene/search-scene.ts';
import type { Fault } from '../world/faults.ts';
import type { Post } from '../world/post.ts';
import { formatOfScenario } from '../world/translate-event.ts';
import { INVARIANTS } from './invariants.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { replayRun, search } from './search.ts';
import type { RunsResult } from './search-runs.ts';

/** A scenario of any function, as the command line searches it. */
export interface SearchableScenario {
  /** What the product does in it. */
  readonly useCase: string;
  readonly about: string;
  readonly maxFaults: number;
  search(maxFaults: number): Promise<RunsResult<string>>;
  /** Runs one schedule again. Returns a log of its steps, and the violations. */
  replay(
    maxFaults: number,
    choices: readonly number[],
  ): Promise<{ readonly lines: readonly string[]; readonly violated: readonly string[] }>;
}

/** A function that is broken on purpose, with the scenario in which the search finds it. */
export interface SearchableMutant extends SearchableScenario {
  readonly scenario: string;
  /** What it breaks. */
  readonly breaks: string;
  /** What the search must find. */
  readonly invariant: string;
}

const MAX_FAULTS = 2;

/** What a scenario, or a mutant of it, asks of the search of its function. */
interface Searched<Options, Mutation> {
  readonly useCase?: string;
  readonly about: string;
  readonly options: Options;
  readonly maxFaults?: number;
  readonly mutant?: {
    readonly maxFaults: number;
    readonly allowedFaults?: readonly Fault[];
    readonly create: () => Mutation;
  };
}

interface Limits<Mutation> {
  readonly maxFaults: number;
  readonly allowedFaults?: readonly Fault[];
  readonly createMutation?: () => Mutation;
}

/** Creates the function that makes the scenarios of a function searchable. */
const searchableBy =
  <Options, Mutation>(
    functionName: string,
    search: (options: Options, limits: Limits<Mutation>) => Promise<RunsResult<string>>,
    replay: (
      options: Options,
      limits: Limits<Mutation>,
      choices: readonly number[],
    ) => ReturnType<SearchableScenario['replay']>,
  ) =>
  ({
    useCase = functionName,
    about,
    options,
    maxFaults = MAX_FAULTS,
    mutant,
  }: Searched<Options, Mutation>): SearchableScenario => {
    const broken = mutant && {
      createMutation: mutant.create,
      ...(mutant.allowedFaults && { allowedFaults: mutant.allowedFaults }),
    };
    return {
      useCase,
      about,
      maxFaults: mutant?.maxFaults ?? maxFaults,
      search: (faults) => search(options, { maxFaults: faults, ...broken }),
      replay: (faults, choices) => replay(options, { maxFaults: faults, ...broken }, choices),
    };
  };

const sending = searchableBy('send', search, replayRun);
const scenes = searchableBy('scene', searchScene, replayScene);

const mapped = <One, Other>(
  entries: Readonly<Record<string, One>>,
  map: (one: One, name: string) => Other,
): Record<string, Other> => Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, map(one, name)]));

/** Merges entries of all functions, whose names must be unique. */
const joined = <Entry>(...parts: readonly Readonly<Record<string, Entry>>[]): Readonly<Record<string, Entry>> => {
  const entries = parts.flatMap((part) => Object.entries(part));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two functions have something named ${twice}.`);
  return Object.fromEntries(entries);
};

/** Posts the events of a scenario in the format that is drawn for it, unless it says in which format they are. */
export const inFormat = <Options extends { readonly posts?: readonly Post[] }>(
  name: string,
  options: Options,
): Options => ({
  ...options,
  ...(options.posts && { posts: options.posts.map((post) => ({ format: formatOfScenario(name), ...post })) }),
});

export const SEARCHABLE_SCENARIOS: Readonly<Record<string, SearchableScenario>> = joined(
  mapped<Scenario, SearchableScenario>(SCENARIOS, (scenario, name) =>
    sending({ ...scenario, options: { ...scenario.options, format: formatOfScenario(name) } }),
  ),
  mapped<SceneScenario, SearchableScenario>(SCENE_SCENARIOS, (scenario, name) =>
    scenes({ ...scenario, options: inFormat(name, scenario.options) }),
  ),
);

const named = ({ scenario, breaks, invariant }: Pick<SearchableMutant, 'scenario' | 'breaks' | 'invariant'>) => ({
  scenario,
  breaks,
  invariant,
});

export const SEARCHABLE_MUTANTS: Readonly<Record<string, SearchableMutant>> = joined(
  mapped<Mutant, SearchableMutant>(MUTANTS, (mutant) => ({
    ...sending({ ...SCENARIOS[mutant.scenario], mutant }),
    ...named(mutant),
  })),
  mapped<SceneMutant, SearchableMutant>(SCENE_MUTANTS, (mutant) => ({
    ...scenes({ ...SCENE_SCENARIOS[mutant.scenario], mutant }),
    ...named(mutant),
  })),
);

/** What each invariant says. */
export const SENTENCES: Readonly<Record<string, string>> = joined(
  mapped<{ readonly sentence: string }, string>(INVARIANTS, ({ sentence }) => sentence),
  mapped<{ readonly sentence: string }, string>(SCENE_INVARIANTS, ({ sentence }) => sentence),
);
