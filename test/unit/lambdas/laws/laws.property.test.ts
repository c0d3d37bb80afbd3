import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { violationsAtRest, violationsOfChange } from '../../../../lambdas/laws/check-laws.ts';
import { createSimulatedTable, createTableState, type ItemWrite } from '../../../simulation/world/table.ts';
import { contactsOf, createTableWriter, PARTS, type Step, steps } from './table-writes.ts';

const CONTEXT = { graceMs: 0, messageDays: 400 };

/** No queue delivers a request again here. */
const BY_RETRIES = ['claim-ends-with-its-lease'];

/** Makes the writes with the real adapters, and returns what breaks a law. */
const breaches = async (writes: readonly Step[]) => {
  const seen: ItemWrite[] = [];
  const state = createTableState((write) => seen.push(write));
  const table = createSimulatedTable(state, async (_label, perform) => perform());
  const writer = createTableWriter(table, contactsOf());
  for (const step of writes) await writer.write(step);
  await writer.finish();
  return [
    ...seen.flatMap((write) => violationsOfChange(write)),
    ...violationsAtRest(state.items.values(), { ...CONTEXT, now: writer.now() }, (law) => !BY_RETRIES.includes(law)),
  ];
};

describe('the adapters', () => {
  it.each(Object.entries(PARTS))('break no law of %s, whatever they write in whatever order', async (_part, names) => {
    await fc.assert(
      fc.asyncProperty(steps(names), async (writes) => {
        expect(await breaches(writes)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
