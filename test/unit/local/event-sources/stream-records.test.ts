import fc from 'fast-check';
import { expect, it } from 'vitest';
import { streamRecord, toParallelParts } from '../../../../local/event-sources/stream-records.ts';

const STREAM_ARN = 'arn:aws:dynamodb:local:000000000000:table/t/stream/s';

it('keeps the records of an item in one part, in order, for parallel processing', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }).map(String), { maxLength: 40 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 10 }), (items, factor) => {
      const records = items.map((item, index) =>
        streamRecord({ dynamodb: { Keys: { pk: { S: item } }, SequenceNumber: String(index) } }, STREAM_ARN, 0),
      );

      const parts = toParallelParts(records, factor);

      expect(parts.length).toBeLessThanOrEqual(factor);
      expect(parts.flat().length).toBe(records.length);
      for (const item of new Set(items)) {
        const isOfItem = ({ dynamodb }: (typeof records)[number]) =>
          JSON.stringify(dynamodb.Keys) === JSON.stringify({ pk: { S: item } });
        expect(parts.map((part) => part.filter(isOfItem)).filter((part) => part.length > 0)).toEqual([
          records.filter(isOfItem),
        ]);
      }
    }),
  );
});

it('processes different items in different parts', () => {
  const records = Array.from({ length: 20 }, (_, index) =>
    streamRecord({ dynamodb: { Keys: { pk: { S: String(index) } }, SequenceNumber: String(index) } }, STREAM_ARN, 0),
  );

  expect(toParallelParts(records, 4)).toHaveLength(4);
});
