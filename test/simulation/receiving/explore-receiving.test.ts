import { describe, expect, it } from 'vitest';
import { serialize } from '../world/serialize.ts';
import { RECEIVING_SCENARIOS, type ReceivingScenario, type ReceivingScenarioName } from './receiving-scenarios.ts';
import type { ReceivingOptions } from './receiving-world.ts';
import { type ReceivingSearchOptions, searchReceiving } from './search-receiving.ts';

/** What every run leaves behind. */
const endsOf = async (scenario: ReceivingOptions, options: Omit<ReceivingSearchOptions, 'onEnd'>) => {
  const ends = new Set<string>();
  const { violating, runs } = await searchReceiving(scenario, {
    ...options,
    onEnd({ table, queue }) {
      const items = [...table.items.values()].map(serialize).toSorted();
      const bodies = queue.deadLetters().map(({ body, reason }) => `${reason} ${body}`);
      ends.add([...items, ...bodies.toSorted()].join());
    },
  });
  return { ends: [...ends].toSorted(), violated: Object.keys(violating).toSorted(), runs };
};

/** `erased` is searched whole below. In a post of several events, no two calls are independent, so nothing is left out. */
const NOT_COMPARED = ['erased', 'together', 'togetherWithUnreadable'] as const satisfies ReceivingScenarioName[];

/**
 * The faults of each comparison: one in a run, and none where the complete search would take long. With an erasure, it
 * would take minutes even so.
 */
const COMPARED = {
  messageTwice: [],
  otherContent: [],
  otherTime: [],
  twoMessages: [],
  messageAndEcho: ['fails-before'],
  echoOfOurs: [],
  echoOfOursElsewhere: ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue'],
  echoOfOursPerNumber: ['fails-before', 'dies-after'],
  messageAndStatus: ['fails-after'],
  statusesOfOurs: [],
  statusWithReference: [],
  statusesOfUnknown: [],
  failures: ['dies-after', 'overdue'],
  unknownStatuses: ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue'],
  statusBesideMessage: ['fails-before', 'overdue'],
  statusBesideMedia: ['fails-after', 'dies-before'],
  statusBesideOurs: ['fails-before', 'dies-after', 'overdue'],
  messageAndStatusBesideIt: ['dies-before'],
  withoutTime: [],
  publishTime: [],
  notAnEvent: ['fails-before', 'fails-after', 'dies-before', 'dies-after', 'overdue'],
} as const satisfies Record<Exclude<ReceivingScenarioName, (typeof NOT_COMPARED)[number]>, ReceivingScenario['slice']>;

const compared = Object.keys(COMPARED) as (keyof typeof COMPARED)[];

it('every schedule of a message that is received while its contact is erased keeps the invariants', async () => {
  const { options } = RECEIVING_SCENARIOS.erased;
  const { isComplete, violations } = await searchReceiving(options, { maxFaults: 0 });

  expect({ isComplete, violations }).toEqual({ isComplete: true, violations: [] });
});

describe('leaving out orders of independent calls', () => {
  it.each(compared)('loses no end of a run and no violation: %s', async (scenario) => {
    const { options } = RECEIVING_SCENARIOS[scenario];
    const limits = { maxFaults: 1, allowedFaults: COMPARED[scenario] };
    const pruned = await endsOf(options, limits);
    const complete = await endsOf({ ...options, prunes: false }, limits);

    expect(pruned.ends).toEqual(complete.ends);
    expect(pruned.violated).toEqual(complete.violated);
    expect(pruned.runs).toBeLessThan(complete.runs);
  });
});

describe('merging states', () => {
  it.each([
    ['messageAndEcho', []],
    ['withoutTime', []],
    ['statusesOfOurs', []],
    ['unknownStatuses', ['fails-before', 'overdue']],
    ['notAnEvent', ['fails-after', 'dies-before']],
    ['statusBesideMedia', ['dies-after', 'overdue']],
  ] as const)('loses no end of a run and no violation: %s', async (scenario, allowedFaults) => {
    const { options } = RECEIVING_SCENARIOS[scenario];
    const limits = { maxFaults: 1, allowedFaults };
    const merged = await endsOf(options, limits);
    const unmerged = await endsOf(options, { ...limits, mergesStates: false });

    expect(merged.ends).toEqual(unmerged.ends);
    expect(merged.violated).toEqual(unmerged.violated);
    expect(merged.runs).toBeLessThanOrEqual(unmerged.runs);
  });
});
