import { describe, expect, it } from 'vitest';
import { expiryAfter, isExpired } from '../../../../lambdas/domain/retention.ts';

const AT = '2026-11-20T12:00:00.001Z';

describe('an item that expires', () => {
  it('is treated as deleted, although DynamoDB deletes it later', () => {
    const item = { expiresAt: expiryAfter(AT, 1_000) };

    expect(isExpired(item, '2026-11-20T12:00:01.001Z')).toBe(false);
    expect(isExpired(item, '2026-11-20T12:00:02.000Z')).toBe(true);
    expect(isExpired({}, '9999-12-31T23:59:59.999Z')).toBe(false);
  });
});
