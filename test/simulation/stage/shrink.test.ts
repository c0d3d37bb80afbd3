import { describe, expect, it } from 'vitest';
import { PLAIN_FEATURES } from './draw-features.ts';
import { drawHistory } from './draw-history.ts';
import type { Act, History } from './history.ts';
import { minimize } from './minimize.ts';
import { type Attempt, shrinkHistory } from './shrink.ts';
import { unusualFeatures } from './simplify-features.ts';

const isRequest = (act: Act, requestId: string): boolean => act.kind === 'request' && act.deduplicationId === requestId;

/** A history with many acts and features. */
const LONG = [...Array(200).keys()]
  .map(drawHistory)
  .filter(({ acts }) => ['request-3', 'request-20'].every((id) => acts.some((act) => isRequest(act, id))))
  .toSorted((one, other) => other.acts.length - one.acts.length)[0];
const ALL_FAULTS = Array.from({ length: 300 }, (_, index) => `fault-${index}`);

const requireLong = (): History => {
  if (LONG === undefined) throw new Error('There is no history.');
  return LONG;
};

/** A run in which every listed fault happens, and which violates an invariant under some condition. */
const attemptOf =
  (violates: (history: History, faults: readonly string[]) => boolean) =>
  async (history: History): Promise<Attempt> => {
    const faults = history.faults ?? ALL_FAULTS;
    return { violated: violates(history, faults) ? ['sentOnce'] : ['another'], faults };
  };

describe('shrinking a history', () => {
  it('finds the two acts and the fault that a violation needs', async () => {
    const history = requireLong();
    const attempt = attemptOf(
      ({ acts }, faults) =>
        acts.some((act) => isRequest(act, 'request-3')) &&
        acts.some((act) => isRequest(act, 'request-20')) &&
        faults.includes('fault-222'),
    );
    const shrunk = await shrinkHistory(history, { invariant: 'sentOnce', attempt });
    expect(shrunk.history.acts.map((act) => act.kind === 'request' && act.deduplicationId)).toEqual([
      'request-3',
      'request-20',
    ]);
    expect(shrunk.history.faults).toEqual(['fault-222']);
    expect(shrunk.history.features).toEqual(PLAIN_FEATURES);
    expect(shrunk.isMinimal).toBe(true);
    expect(shrunk.runs).toBeLessThan(300);
  });

  it('keeps the features that the violation needs', async () => {
    const history = { ...requireLong(), features: { ...PLAIN_FEATURES, content: true, sendConcurrency: 5 } };
    const attempt = attemptOf(({ features }) => features.sendConcurrency > 1);
    const shrunk = await shrinkHistory(history, { invariant: 'sentOnce', attempt });
    expect(unusualFeatures(shrunk.history.features)).toEqual([['sendConcurrency', 5]]);
    expect(shrunk.history.acts).toEqual([]);
    expect(shrunk.history.faults).toEqual([]);
  });

  it('gives a contact one address, and moves acts together with the times in their requests', async () => {
    const body = (address: string) =>
      `{"requestId":"request-1","platformContactId":"${address}","sendAt":"2026-11-20T15:00:00.000Z"}`;
    const history: History = {
      seed: 1,
      features: PLAIN_FEATURES,
      acts: [
        { atMs: 0, kind: 'user-writes', contact: '+5491155550000', text: '' },
        {
          atMs: 10_000_000,
          kind: 'request',
          via: 'queue',
          body: body('+541155550000'),
          groupId: '+541155550000',
          deduplicationId: 'request-1',
        },
      ],
    };
    const attempt = attemptOf(({ acts }) => acts.length === 2);
    const shrunk = await shrinkHistory(history, { invariant: 'sentOnce', attempt });
    expect(shrunk.history.acts[1]).toEqual({
      ...history.acts[1],
      atMs: 1000,
      body: body('+5491155550000').replace('15:00:00.000', '12:13:21.000'),
      groupId: '+5491155550000',
    });
  });

  it('leaves out the faults that do not happen in the shorter run', async () => {
    const attempt = async ({ faults = ALL_FAULTS }: History): Promise<Attempt> => ({
      violated: ['sentOnce'],
      faults: faults.filter((fault) => fault === 'fault-1'),
    });
    const shrunk = await shrinkHistory(requireLong(), { invariant: 'sentOnce', attempt, maxRuns: 2 });
    expect(shrunk.history.faults).toEqual(['fault-1']);
  });

  it('ends when its runs are used up, with what it has found so far', async () => {
    const attempt = attemptOf(({ acts }) => acts.length >= 10);
    const shrunk = await shrinkHistory(requireLong(), { invariant: 'sentOnce', attempt, maxRuns: 5 });
    expect(shrunk.isMinimal).toBe(false);
    expect(shrunk.runs).toBe(5);
    expect(shrunk.history.acts.length).toBeGreaterThanOrEqual(10);
  });

  it('does not take one violation for another', async () => {
    await expect(
      shrinkHistory(requireLong(), { invariant: 'sentOnce', attempt: attemptOf(() => false) }),
    ).rejects.toThrow('The history does not violate sentOnce.');
  });

  it('notices a run that does not repeat', async () => {
    let runs = 0;
    const attempt = attemptOf(() => {
      runs += 1;
      return runs === 1;
    });
    await expect(shrinkHistory(requireLong(), { invariant: 'sentOnce', attempt })).rejects.toThrow(
      'The history does not violate the invariant each time.',
    );
  });
});

describe('minimizing a list', () => {
  it.each([[[]], [[0]], [[99]], [[0, 99]], [[3, 50, 51, 77]]])('leaves %j of a hundred', async (needed) => {
    const entries = [...Array(100).keys()];
    const isEnough = async (left: readonly number[]) => needed.every((entry) => left.includes(entry));
    expect(await minimize(entries, isEnough)).toEqual(needed);
  });
});
