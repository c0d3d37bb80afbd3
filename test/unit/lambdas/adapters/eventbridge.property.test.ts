import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryBytes, eventBatches } from '../../../../lambdas/adapters/eventbridge.ts';
import { MAX_DETAIL_BYTES, type SerializedEvent } from '../../../../lambdas/domain/events/serialize-event.ts';

const events = fc
  .array(fc.integer({ min: 2, max: MAX_DETAIL_BYTES }), { maxLength: 60 })
  .map((sizes) =>
    sizes.map(
      (size, index): SerializedEvent => ({ id: String(index), name: 'MessageRead', at: '', detail: 'x'.repeat(size) }),
    ),
  );

describe('eventBatches', () => {
  it('puts every event in one batch, in order, with at most 10 events or 1 MB per batch', () => {
    fc.assert(
      fc.property(events, (all) => {
        const batches = eventBatches(all, 'parley');

        expect(batches.flat()).toEqual(all);
        for (const batch of batches) {
          const bytes = batch.reduce((sum, event) => sum + entryBytes(event, 'parley'), 0);
          expect([batch.length >= 1 && batch.length <= 10, bytes < 1_000_000]).toEqual([true, true]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('returns as few batches as possible', () => {
    const small = Array.from(
      { length: 25 },
      (_, id): SerializedEvent => ({ id: String(id), name: 'MessageRead', at: '', detail: '{}' }),
    );

    expect(eventBatches(small, 'parley').map(({ length }) => length)).toEqual([10, 10, 5]);
  });
});
