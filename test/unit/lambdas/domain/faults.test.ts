import { describe, expect, it } from 'vitest';
import { z } from 'zod/mini';
import { faultsOf } from '../../../../lambdas/domain/faults.ts';

const faultsFor = (queue: string) => {
  const input = { queue };
  const { error } = z.safeParse(z.object({ queue: z.enum(['send', 'inbound']) }), input);
  return error && faultsOf(error, 'the query', input);
};

describe('the faults of a field with a list of values', () => {
  it('quote a wrong value', () => {
    expect(faultsFor('snd')).toMatchObject([{ field: 'queue', value: '"snd"' }]);
  });

  it('do not quote a text', () => {
    expect(faultsFor('Where is my parcel?')).toEqual([{ field: 'queue', fault: expect.any(String) }]);
  });
});
