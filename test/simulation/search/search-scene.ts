import type { SendTransitionName } from '../../../lambdas/domain/send-transitions.ts';
import { observeTransition, type Writer } from '../world/observe-transition.ts';
import { forgetInterned } from '../world/serialize.ts';
import { searchLearned } from './learned-search.ts';
import { describeEnd } from './receiving-invariants.ts';
import { createScene, type Scene } from './scene.ts';
import { SCENE_INVARIANTS, type SceneInvariant, type SceneInvariantName } from './scene-invariants.ts';
import type { SceneMutation, SceneOptions } from './scene-options.ts';
import { answeredCalls } from './scene-view.ts';
import {
  createCheck,
  type FaultOptions,
  faultOptions,
  type ObservedWorld,
  type Report,
  type RunsOptions,
  type RunsResult,
  replayRuns,
  searchRuns,
} from './search-runs.ts';

type RunOptions = FaultOptions<SceneMutation>;

export interface SceneSearchOptions extends RunOptions, RunsOptions {
  /** Whether schedules are left out that differ only in the order of calls that commute. @default true */
  readonly prunes?: boolean;
  /** Called with each transition of a send. */
  readonly onTransition?: (name: SendTransitionName) => void;
  /** Called at the end of each run that was not abandoned. */
  readonly onEnd?: (scene: Scene) => void;
}

export type SceneResult = RunsResult<SceneInvariantName>;

/** Searches every schedule of a scenario with up to `maxFaults` faults. */
export const searchScene = async (scenario: SceneOptions, options: SceneSearchOptions): Promise<SceneResult> => {
  const { prunes = true } = options;
  const scene = { ...(await withReference(scenario, options)), ...faultOptions(options) };
  if (prunes) {
    return searchLearned<SceneInvariantName>(
      {
        observe: (independence, report) => observed({ ...scene, independence }, report, options),
        run: (independence, choose) => createScene({ ...scene, independence }).run(choose),
      },
      options,
    );
  }
  forgetInterned();
  return searchRuns<SceneInvariantName>((report) => observed(scene, report, options), options);
};

/** Runs one schedule again. Returns a log of its steps, and the violations. */
export const replayScene = async (scenario: SceneOptions, options: RunOptions, choices: readonly number[]) => {
  const scene = { ...(await withReference(scenario, options)), ...faultOptions(options) };
  return replayRuns<SceneInvariantName>((report) => observed(scene, report), choices);
};

/** Adds the table after the schedule that always takes the first alternative, without a fault. */
const withReference = async (scenario: SceneOptions, { createMutation }: RunOptions): Promise<SceneOptions> => {
  if (!scenario.hasOneEnd) return scenario;
  const scene = createScene({ ...scenario, ...(createMutation && { createMutation }) });
  await scene.run(() => 0);
  return { ...scenario, reference: describeEnd(scene) };
};

const WRITERS = [
  ['erase', 'erase'],
  ['post', 'receive'],
  ['drain', 'drain'],
  ['send', 'send'],
] as const;

/** Returns the function that a process runs. Processes of the management API are named after what they do. */
const writerOf = (process: string): Writer => WRITERS.find(([prefix]) => process.startsWith(prefix))?.[1] ?? 'manage';

const observed = (
  options: SceneOptions,
  report: Report<SceneInvariantName>,
  { onEnd, onTransition }: Pick<SceneSearchOptions, 'onEnd' | 'onTransition'> = {},
): ObservedWorld => {
  const check = createCheck<SceneInvariantName, SceneInvariant>(SCENE_INVARIANTS, report);
  const scene = createScene(options, {
    onWrite(one, write) {
      const transition = onTransition && observeTransition(writerOf(one.current), write.before, write.after);
      if (transition) onTransition?.(transition.name);
      check(({ atWrite }) => atWrite?.(one, write));
    },
    onAnswer: (one, name) => {
      const call = answeredCalls(one).find((answered) => answered.name === name);
      if (call) check(({ atAnswer }) => atAnswer?.(one, call));
    },
    onSend: (one, call) => check(({ atSend }) => atSend?.(one, call)),
    onCall: (one, process, label) => check(({ atCall }) => atCall?.(one, process, label)),
  });
  return {
    clock: scene.clock,
    turns: scene.turns,
    run: (choose) => scene.run(choose),
    ...(options.independence && { path: () => [...scene.path] }),
    checkEnd(how) {
      check(({ atEnd }) => atEnd?.(scene, how));
      onEnd?.(scene);
    },
  };
};
