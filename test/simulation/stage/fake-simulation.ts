import { QUEUES } from './ledger.ts';
import type { Simulation } from './run-history.ts';
import type { StageRun } from './stage-run.ts';

/** A fake simulation that only performs acts, and in which every erasure is a violation. */
export const FAKE: Simulation = {
  async play(history) {
    return {
      history,
      ledger: { entries: history.acts.map((act) => ({ atMs: act.atMs, kind: 'act', act })) },
      how: 'quiet',
      items: new Map(),
      // Every queue has an entry.
      queued: Object.fromEntries(QUEUES.map((queue) => [queue, []])) as unknown as StageRun['queued'],
      scheduled: [],
      possibleFaults: new Map(),
      calmAtMs: 0,
      endedAtMs: 0,
    };
  },
  examine: ({ ledger }) => ({
    checks: { nobodyErased: 1 },
    violations: ledger.entries
      .map((entry, entryIndex) => ({ entry, entryIndex }))
      .filter(({ entry }) => entry.kind === 'act' && entry.act.kind === 'erase')
      .map(({ entryIndex }) => ({ invariant: 'nobodyErased', what: 'A contact was erased.', entryIndex })),
  }),
};
