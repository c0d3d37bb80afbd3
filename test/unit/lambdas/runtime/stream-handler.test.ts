import { describe, expect, it } from 'vitest';
import { ms } from '../../../../lambdas/domain/duration.ts';
import { createStreamHandler } from '../../../../lambdas/runtime/stream-handler.ts';

describe('the stream handler', () => {
  it('reports the sequence numbers of the records to retry in the form that Lambda expects', async () => {
    const handler = createStreamHandler<number>({
      handleRecords: async (records) => records.slice(1).map(String),
      requiredTimeMs: ms(1),
    });

    const answer = await handler({ Records: [1, 2, 3] }, { getRemainingTimeInMillis: () => 1000 });

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }] });
  });

  it('passes to the record handler whether the required time is left', async () => {
    const left = [15_000, 14_999];
    const seen: boolean[] = [];
    const handler = createStreamHandler<number>({
      handleRecords: async (_records, hasTime) => {
        seen.push(hasTime(), hasTime());
        return [];
      },
      requiredTimeMs: ms(15_000),
    });

    await handler({ Records: [] }, { getRemainingTimeInMillis: () => left.shift() ?? 0 });

    expect(seen).toEqual([true, false]);
  });
});
