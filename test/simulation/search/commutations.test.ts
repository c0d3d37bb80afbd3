import { describe, expect, it } from 'vitest';
import type { Fault } from '../world/faults.ts';
import type { Alternative } from '../world/turns.ts';
import { createScene } from './scene.ts';
import { SCENE_SCENARIOS, type SceneScenario, type SceneScenarioName } from './scene-scenarios.ts';

interface Limits {
  readonly maxFaults: number;
  readonly allowedFaults: readonly Fault[];
}

/** A state of the search without pruning, reached by a schedule. */
interface State {
  readonly key: string;
  readonly alternatives: readonly Alternative[];
  /** The labels of the calls that wait for their turn. */
  readonly waiting: readonly string[];
}

/** An alternative, as another run of the same schedule shows it again. */
const nameOf = ({ process = '', label, fault }: Alternative): string => `${process} ${label} ${fault ?? ''}`;

/** Runs a schedule. Returns the state after it, or undefined if the schedule cannot be taken. */
const stateAfter = async (
  scenario: SceneScenario,
  limits: Limits,
  schedule: readonly string[],
): Promise<State | undefined> => {
  const world = createScene({ ...scenario.options, ...limits });
  let state: State | undefined;
  let step = 0;
  const how = await world.run((alternatives, key) => {
    const name = schedule[step];
    step += 1;
    if (name !== undefined) return alternatives.findIndex((alternative) => nameOf(alternative) === name);
    state = { key: key(), alternatives, waiting: world.turns.waitingCalls() };
    return -1;
  });
  if (how !== 'quiet' || step < schedule.length) return step > schedule.length ? state : undefined;
  return {
    key: `the end of ${[...world.table.items.values()].map((item) => JSON.stringify(item))}`,
    alternatives: [],
    waiting: [],
  };
};

/** Whether the pruned search takes `one` and `other` in this order only. */
type IsPruned = (one: Alternative, other: Alternative, waiting: readonly string[]) => boolean;

/** Compares the states after both orders of each pair of alternatives that is pruned somewhere. */
const compareOrders = async (name: SceneScenarioName, limits: Limits, isPruned: IsPruned) => {
  const scenario: SceneScenario = SCENE_SCENARIOS[name];
  const known = new Set<string>();
  const different: string[] = [];
  let compared = 0;
  const schedules: (readonly string[])[] = [[]];
  for (let schedule = schedules.pop(); schedule !== undefined; schedule = schedules.pop()) {
    const state = await stateAfter(scenario, limits, schedule);
    if (state === undefined) throw new Error(`The schedule cannot be repeated: ${schedule.join('; ')}`);
    if (known.has(state.key)) continue;
    known.add(state.key);
    for (const one of state.alternatives) {
      schedules.push([...schedule, nameOf(one)]);
      for (const other of state.alternatives) {
        if (other.process === undefined || one.process === other.process) continue;
        if (!isPruned(one, other, state.waiting)) continue;
        const [first, second] = [nameOf(one), nameOf(other)];
        const after = await stateAfter(scenario, limits, [...schedule, first, second]);
        const swapped = await stateAfter(scenario, limits, [...schedule, second, first]);
        if (after !== undefined) compared += 1;
        // With too few faults left for both, neither order can be taken.
        if (after?.key !== swapped?.key) different.push(`${first} and ${second}`);
      }
    }
  }
  return { compared, different: [...new Set(different)] };
};

describe('a call that goes first', () => {
  it.each([
    ['plain', 1, ['refused', 'dies-before']],
    ['windowClosed', 0, []],
    ['scheduled', 1, ['fails-before', 'dies-before', 'late']],
    ['noCredit', 0, []],
  ] as const)(
    'leads to the same state after anything else: %s, %d faults',
    async (scenario, maxFaults, allowedFaults) => {
      const goesFirst: IsPruned = (one) => one.isIndependent === true;
      const { compared, different } = await compareOrders(scenario, { maxFaults, allowedFaults }, goesFirst);

      expect(different).toEqual([]);
      expect(compared).toBeGreaterThan(10);
    },
  );
});

describe('an event that waits until a call depends on it', () => {
  it('leads to the same state before anything else', async () => {
    const [event] = SCENE_SCENARIOS.optOut.options.events;
    const waits: IsPruned = (one, _, waiting) => one.label === event.label && event.matters?.(waiting) === false;
    const { compared, different } = await compareOrders('optOut', { maxFaults: 0, allowedFaults: [] }, waits);

    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(10);
  });
});
