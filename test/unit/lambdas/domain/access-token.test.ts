import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accessTokenExpiry, expiresSoon } from '../../../../lambdas/domain/access-token.ts';
import { jwt, NOW } from '../../../support/builders.ts';

const SECONDS = Date.parse(NOW) / 1000;

describe('the expiry of an access token', () => {
  it.each([
    ['seconds', jwt({ exp: SECONDS }), NOW],
    ['seconds with a fraction', jwt({ exp: SECONDS + 0.5 }), '2026-11-20T12:00:00.500Z'],
    ['spaces around it', ` ${jwt({ exp: SECONDS })}\n`, NOW],
    ['a long name in it', jwt({ exp: SECONDS, name: 'ñ'.repeat(1_000) }), NOW],
    ['a time that has passed', jwt({ exp: 0 }), '1970-01-01T00:00:00.000Z'],
  ])('is read: %s', (_case, token, expiry) => {
    expect(accessTokenExpiry(token)).toBe(expiry);
  });

  it.each([
    ['an opaque token', '5e7a2b'],
    ['no token', ''],
    ['no expiry', jwt({ iat: SECONDS })],
    ['an expiry in text', jwt({ exp: String(SECONDS) })],
    ['an expiry after year 9999', jwt({ exp: SECONDS * 1000 })],
    ['an expiry that no date can have', jwt({ exp: 1e300 })],
    ['claims that are no object', jwt([SECONDS])],
    ['claims that are not JSON', 'a.b.c'],
    ['two parts', jwt({ exp: SECONDS }).split('.').slice(0, 2).join('.')],
    ['four parts', `${jwt({ exp: SECONDS })}.x`],
    ['more than 16 KiB', jwt({ exp: SECONDS, name: 'x'.repeat(20_000) })],
  ])('is unknown: %s', (_case, token) => {
    expect(accessTokenExpiry(token)).toBeUndefined();
  });

  it('is a time that can be stored, or unknown, whatever the token', () => {
    const claims = fc.oneof(fc.jsonValue(), fc.record({ exp: fc.oneof(fc.jsonValue(), fc.double()) }));
    fc.assert(
      fc.property(fc.oneof(fc.string(), claims.map(jwt)), (token) => {
        expect(accessTokenExpiry(token) ?? NOW).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
    );
  });

  it('is soon from 30 days before', () => {
    expect(expiresSoon('2026-12-20T12:00:00.001Z', NOW)).toBe(false);
    expect(expiresSoon('2026-12-20T12:00:00.000Z', NOW)).toBe(true);
    expect(expiresSoon('2020-01-01T00:00:00.000Z', NOW)).toBe(true);
  });
});
