import { describe, expect, it } from 'vitest';
import type { Fault } from '../world/faults.ts';
import { serialize } from '../world/serialize.ts';
import type { World } from '../world/world.ts';
import type { WorldOptions } from '../world/world-options.ts';
import { SCENARIOS, type Scenario, type ScenarioName } from './scenarios.ts';
import { search } from './search.ts';

/** The final state of a run. */
const endOf = ({ table, chatService, queue }: World): string =>
  [
    [...table.items.values()].map(serialize).toSorted().join(),
    serialize([...chatService.effects]),
    serialize([...queue.deadLetters()]),
  ].join('\n');

/** The same world, with the names of the two deliveries exchanged. */
const exchanged = (end: string): string => end.replace(/\bd([01])\./g, (_, place) => `d${1 - Number(place)}.`);

/** The ends of every schedule, each in one of its two namings. */
const endsOf = async (
  scenario: ScenarioName,
  changes: Partial<WorldOptions> & { readonly mergesStates?: boolean; readonly allowedFaults?: readonly Fault[] },
  maxFaults: number,
) => {
  const { mergesStates, allowedFaults, ...options } = changes;
  const ends = new Set<string>();
  const result = await search(
    { ...SCENARIOS[scenario].options, ...options },
    {
      maxFaults,
      ...(mergesStates !== undefined && { mergesStates }),
      ...(allowedFaults && { allowedFaults }),
      onEnd(world) {
        const end = endOf(world);
        const other = exchanged(end);
        ends.add(end < other ? end : other);
      },
    },
  );
  return { ends: [...ends].toSorted(), violated: Object.keys(result.violating).toSorted(), result };
};

describe('merging states', () => {
  it.each([
    ['plain', ['late']],
    ['order', ['refused', 'dies-before']],
    ['malformed', ['fails-before', 'dies-after']],
    ['rejected', ['fails-after']],
    ['scheduled', ['dies-after', 'late']],
    ['optOut', []],
    ['noCredit', []],
  ] as const)('loses no end of a run and no violation: %s', async (scenario, allowedFaults) => {
    const merged = await endsOf(scenario, { allowedFaults }, 1);
    const unmerged = await endsOf(scenario, { allowedFaults, mergesStates: false }, 1);

    expect(merged.ends).toEqual(unmerged.ends);
    expect(merged.violated).toEqual(unmerged.violated);
  });

  it('counts as many schedules as there are runs without merging', async () => {
    const allowedFaults = ['fails-after', 'dies-before'] as const;
    const merged = await endsOf('plain', { allowedFaults }, 1);
    const unmerged = await endsOf('plain', { allowedFaults, mergesStates: false }, 1);

    const counted = merged.result.schedules.reduce((sum, count) => sum + count, 0n);
    expect(counted).toBe(BigInt(unmerged.result.runs));
    expect(merged.result.runs).toBeLessThan(unmerged.result.runs);
  });
});

/** The faults of each comparison: one in a run, and none where the complete search would take long. */
const COMPARED: Readonly<Record<ScenarioName, readonly Fault[]>> = {
  plain: ['fails-before'],
  resend: ['fails-after'],
  windowClosed: ['dies-before'],
  windowClosedWithoutTemplate: ['dies-after'],
  rejected: ['dies-before'],
  malformed: ['fails-after'],
  contactCheck: ['dies-before'],
  noCredit: ['refused'],
  probes: [],
  lease: ['outage'],
  optOut: [],
  optOutBeforeAnswer: [],
  importedOptIn: [],
  userWrites: [],
  userWritesLater: ['dies-after'],
  status: [],
  scheduled: ['fails-before', 'dies-before'],
  order: ['dies-before'],
};

describe('leaving out orders of independent calls, and mirrored deliveries', () => {
  const compared = Object.entries(COMPARED).map(([scenario, faults]) => [scenario as ScenarioName, faults] as const);
  const isSlow = (scenario: ScenarioName): boolean => (SCENARIOS[scenario] as Scenario).isSlow === true;

  it.each(compared.filter(([scenario]) => !isSlow(scenario)))(
    'loses no end of a run and no violation: %s',
    async (scenario, allowedFaults) => {
      const pruned = await endsOf(scenario, { allowedFaults }, 1);
      const complete = await endsOf(scenario, { allowedFaults, prunes: false, isSymmetric: false }, 1);

      expect(pruned.ends).toEqual(complete.ends);
      expect(pruned.violated).toEqual(complete.violated);
      expect(pruned.result.runs).toBeLessThanOrEqual(complete.result.runs);
    },
  );

  it('is refused when the contact is written, although the scenario promises that it is not', async () => {
    for (const scenario of ['optOut', 'windowClosed', 'noCredit'] as const) {
      const searched = search({ ...SCENARIOS[scenario].options, isContactConstant: true }, { maxFaults: 0 });
      await expect(searched).rejects.toThrow('promises that nothing writes the contact');
    }
  });
});
