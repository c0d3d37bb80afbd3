import { describe, expect, it } from 'vitest';
import * as z from '../../../../lambdas/domain/schema.ts';
import { CANARIES, canariesIn } from '../../../support/canaries.ts';

const request = z.strictObject({ name: z.string(), params: z.optional(z.record(z.string(), z.string())) });

const describeFaults = (value: unknown): string => {
  const parsed = z.safeParse(request, value);
  return parsed.success ? '' : z.describeIssues(parsed.error, 'the request');
};

describe('the description of an invalid value', () => {
  it('names an unknown field', () => {
    expect(describeFaults({ name: 'a', nmae: 'b' })).toBe('the request: has the unknown field nmae');
  });

  it('names at most five unknown fields', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`field_${index % 100}_${index}`, 1]),
    );
    const text = describeFaults({ name: 'a', ...fields });

    expect(text).toMatch(/^the request: has the unknown fields (field_\d+_\d+, ){5}and 995 more$/);
  });

  it.each([CANARIES.text, CANARIES.number, CANARIES.number.slice(1), CANARIES.mediaUrl, 'x'.repeat(41), ''])(
    'does not quote "%s" as the name of a field',
    (name) => {
      const texts = [describeFaults({ name: 'a', [name]: 1 }), describeFaults({ name: 'a', params: { [name]: 1 } })];

      expect(texts).toEqual([
        'the request: has 1 unknown field',
        'params.<field>: invalid input: expected string, received number',
      ]);
    },
  );

  it('quotes no values', () => {
    const values = [...Object.values(CANARIES), { ...CANARIES }, [CANARIES.text]];

    for (const name of values) expect(canariesIn(describeFaults({ name: [name], params: name }))).toEqual([]);
  });

  it('lists at most ten faults', () => {
    const params = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p_${index}`, index]));

    expect(describeFaults({ name: 'a', params })).toMatch(/^(params\.p_\d+: [^;]+; ){10}and 20 more$/);
  });
});
