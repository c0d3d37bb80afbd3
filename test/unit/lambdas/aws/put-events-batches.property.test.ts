import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryBytes, putEventsBatches } from '../../../../lambdas/aws/put-events-batches.ts';
import { MAX_DETAIL_BYTES, type WrittenEvent } from '../../../../lambdas/domain/telling/written-event.ts';

const events = fc
  .array(fc.integer({ min: 2, max: MAX_DETAIL_BYTES }), { maxLength: 60 })
  .map((sizes) =>
    sizes.map(
      (size, index): WrittenEvent => ({ id: String(index), name: 'MessageRead', at: '', detail: 'x'.repeat(size) }),
    ),
  );

describe('calls of PutEvents', () => {
  it('take every event once, in order, and no more than ten or a megabyte at a time', () => {
    fc.assert(
      fc.property(events, (all) => {
        const batches = putEventsBatches(all, 'parley');

        expect(batches.flat()).toEqual(all);
        for (const batch of batches) {
          const bytes = batch.reduce((sum, event) => sum + entryBytes(event, 'parley'), 0);
          expect([batch.length >= 1 && batch.length <= 10, bytes < 1_000_000]).toEqual([true, true]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are as few as that allows', () => {
    const small = Array.from(
      { length: 25 },
      (_, id): WrittenEvent => ({ id: String(id), name: 'MessageRead', at: '', detail: '{}' }),
    );

    expect(putEventsBatches(small, 'parley').map(({ length }) => length)).toEqual([10, 10, 5]);
  });
});
