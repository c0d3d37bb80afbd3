import { describe, expect, it } from 'vitest';
import { serialize } from '../world/serialize.ts';
import type { Scene } from './scene.ts';
import { SCENE_SCENARIOS, type SceneScenario, type SceneScenarioName } from './scene-scenarios.ts';
import { type SceneSearchOptions, searchScene } from './search-scene.ts';

/** The final state of a run. */
const endOf = ({ table, chatService, queues, bus, answers }: Scene): string =>
  [
    [...table.items.values()].map(serialize).toSorted().join(),
    chatService.key(),
    Object.values(queues)
      .map((queue) => serialize(queue.messages()))
      .join(),
    // Of two shards, only the order of each one's events counts.
    bus.published.map(({ id }) => id).toSorted(),
    [...answers].map(([name, { status }]) => `${name} ${status}`).toSorted(),
  ].join('\n');

const endsOf = async (name: SceneScenarioName, options: Omit<SceneSearchOptions, 'onEnd'>) => {
  const ends = new Set<string>();
  const { options: scene }: SceneScenario = SCENE_SCENARIOS[name];
  const { violating, runs, schedules } = await searchScene(scene, { ...options, onEnd: (one) => ends.add(endOf(one)) });
  return { ends: [...ends].toSorted(), violated: Object.keys(violating).toSorted(), runs, schedules };
};

/** In a post of several events, no two calls are independent, so nothing is left out. */
describe('leaving out orders of calls that commute', () => {
  it.for([
    ['plain', ['fails-before']],
    ['resend', ['fails-after']],
    ['windowClosed', ['dies-before']],
    ['windowClosedWithoutTemplate', ['dies-after']],
    ['rejected', ['dies-before']],
    ['malformed', ['fails-after']],
    ['contactCheck', ['dies-before']],
    ['noCredit', ['refused']],
    ['lease', ['outage']],
    ['optOut', []],
    ['optOutBeforeAnswer', []],
    ['importedOptIn', []],
    ['userWrites', []],
    ['userWritesLater', ['dies-after']],
    ['status', []],
    ['scheduled', ['fails-before', 'dies-before']],
    ['order', ['dies-before']],
    ['messageTwice', []],
    ['edited', []],
    ['otherTime', []],
    ['twoMessages', []],
    ['messageAndEcho', ['fails-before']],
    ['echoOfOurs', []],
    ['echoOfOursElsewhere', ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue']],
    ['echoOfOursPerNumber', ['fails-before', 'dies-after']],
    ['messageAndStatus', ['fails-after']],
    ['statusesOfOurs', []],
    ['statusWithReference', []],
    ['statusesOfUnknown', []],
    ['failures', ['dies-after', 'overdue']],
    ['unknownStatuses', ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue']],
    ['statusBesideMessage', ['fails-before', 'overdue']],
    ['statusBesideMedia', ['fails-after', 'dies-before']],
    ['statusBesideOurs', ['fails-before', 'dies-after', 'overdue']],
    ['messageAndStatusBesideIt', ['dies-before']],
    ['withoutTime', []],
    ['publishTime', []],
    ['notAnEvent', ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue']],
    ['publishBatch', ['partial', 'dies-after']],
    ['publishUnreadable', ['fails-before']],
    ['registerOther', []],
    ['registerBesideQueue', ['dies-before']],
    ['cancelWhileScheduling', []],
    ['resolveFailed', []],
    ['resolveAcceptedAndStatus', []],
    ['optOutsOfTwoTimes', ['fails-after']],
    ['checkAbsent', ['refused']],
    ['recordAct', ['dies-before', 'dies-after']],
    ['tokenReplaced', []],
    ['redrive', []],
  ] as const)('loses no end of a run and no violation: %s', async ([name, allowedFaults], { signal }) => {
    const limits = { maxFaults: 1, allowedFaults, signal };
    const pruned = await endsOf(name, limits);
    const complete = await endsOf(name, { ...limits, prunes: false });

    expect(pruned.ends).toEqual(complete.ends);
    expect(pruned.violated).toEqual(complete.violated);
    expect(pruned.runs).toBeLessThanOrEqual(complete.runs);
  });
});

describe('merging states', () => {
  it.for([
    ['plain', ['late']],
    ['order', ['refused', 'dies-before']],
    ['malformed', ['fails-before', 'dies-after']],
    ['rejected', ['fails-after']],
    ['scheduled', ['dies-after', 'late']],
    ['optOut', []],
    ['noCredit', []],
    ['messageAndEcho', []],
    ['withoutTime', []],
    ['statusesOfOurs', []],
    ['unknownStatuses', ['fails-before', 'overdue']],
    ['notAnEvent', ['fails-after', 'dies-before']],
    ['statusBesideMedia', ['dies-after', 'overdue']],
    ['publishInParts', ['fails-after']],
    ['registerBesideQueue', []],
    ['resolveFailed', ['fails-before']],
    ['optOutsOfTwoTimes', []],
    ['recordAct', ['fails-before', 'dies-after']],
  ] as const)('loses no end of a run and no violation: %s', async ([name, allowedFaults], { signal }) => {
    const limits = { maxFaults: 1, allowedFaults, signal };
    const merged = await endsOf(name, limits);
    const unmerged = await endsOf(name, { ...limits, mergesStates: false });

    expect(merged.ends).toEqual(unmerged.ends);
    expect(merged.violated).toEqual(unmerged.violated);
    expect(merged.runs).toBeLessThanOrEqual(unmerged.runs);
  });

  it('counts as many schedules as there are runs without merging', async () => {
    const limits = { maxFaults: 1, allowedFaults: ['fails-after', 'dies-before'] } as const;
    const merged = await endsOf('plain', limits);
    const unmerged = await endsOf('plain', { ...limits, mergesStates: false });

    expect(merged.schedules.reduce((sum, count) => sum + count, 0n)).toBe(BigInt(unmerged.runs));
    expect(merged.runs).toBeLessThan(unmerged.runs);
  });
});
