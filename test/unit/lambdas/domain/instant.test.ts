import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant, parseServiceTime } from '../../../../lambdas/domain/instant.ts';

const NOON = '2026-11-20T12:00:00.000Z';

/** A time in parts, from which a test writes it and `Date.UTC` calculates it. */
const parts = fc.record({
  year: fc.integer({ min: 1970, max: 9998 }),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 28 }),
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  second: fc.integer({ min: 0, max: 60 }),
  ms: fc.integer({ min: 0, max: 999 }),
  offset: fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
});

const padded = (value: number, length = 2): string => String(value).padStart(length, '0');

describe('a time', () => {
  it.each([
    ['2026-11-20T12:00:00.000Z', NOON],
    ['2026-11-20T12:00:00Z', NOON],
    ['2026-11-20T12:00Z', NOON],
    ['2026-11-20t12:00:00z', NOON],
    ['2026-11-20 12:00:00Z', NOON],
    ['2026-11-20T12:00:00,000Z', NOON],
    ['2026-11-20T12:00:00.0009999Z', NOON],
    ['2026-11-20T17:00:00+05', NOON],
    ['2026-11-20T17:30:00+0530', NOON],
    ['2026-11-20T17:30:00+05:30', NOON],
    ['2026-11-20T09:00:00-03:00', NOON],
    ['2026-11-20T12:00:00-00:00', NOON],
    ['2026-11-20T11:59:60Z', NOON],
    ['2026-11-19T24:00:00Z', '2026-11-20T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('is read: %s', (written, instant) => {
    expect(parseInstant(written)).toBe(instant);
    expect(parseServiceTime(written)).toBe(instant);
  });

  it.each([
    '2026-11-20T12:00:00',
    '2026-11-20',
    '2026-W47-5T12:00:00Z',
    '2026-324T12:00:00Z',
    '2026-02-30T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-11-20T24:00:01Z',
    '2026-11-20T12:60:00Z',
    '2026-11-20T12:00:61Z',
    '2026-11-20T12:00:00+24:00',
    '2026-11-20T12:00:00+05:60',
    '2026-11-20T12Z',
    '12:00:00Z',
    'Fri, 20 Nov 2026 12:00:00 GMT',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '',
  ])('is not read: %s', (written) => {
    expect(parseInstant(written)).toBeUndefined();
    expect(parseServiceTime(written)).toBeUndefined();
  });

  it('equals the time that `Date.UTC` calculates from its parts', () => {
    fc.assert(
      fc.property(
        parts,
        fc.constantFrom('T', 't', ' '),
        fc.constantFrom('.', ','),
        fc.constantFrom(':', ''),
        ({ year, month, day, hour, minute, second, ms, offset }, separator, point, colon) => {
          const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
          const zone = `${offset < 0 ? '-' : '+'}${padded(hours)}${colon}${padded(minutes)}`;
          const clock = `${padded(hour)}:${padded(minute)}:${padded(second)}${point}${padded(ms, 3)}`;
          const written = `${padded(year, 4)}-${padded(month)}-${padded(day)}${separator}${clock}${zone}`;
          const isAfterMidnight = hour === 23 && minute === 59 && second === 60 && ms > 0;
          const expected = new Date(Date.UTC(year, month - 1, day, hour, minute - offset, second, ms)).toISOString();
          expect(parseInstant(written)).toBe(isAfterMidnight ? undefined : expected);
        },
      ),
    );
  });
});

describe('a time of a service', () => {
  it.each([
    [Date.parse(NOON), NOON],
    [Date.parse(NOON) / 1000, NOON],
    [String(Date.parse(NOON)), NOON],
    [String(Date.parse(NOON) / 1000), NOON],
    [`${Date.parse(NOON) / 1000}.25`, '2026-11-20T12:00:00.250Z'],
    [` ${NOON}\n`, NOON],
    ['20261120T120000Z', NOON],
    ['20261120T120000.000+0000', NOON],
    [1_000_000_000, '2001-09-09T01:46:40.000Z'],
    [9_999_999_999_999, '2286-11-20T17:46:39.999Z'],
  ])('is read: %j', (written, instant) => {
    expect(parseServiceTime(written)).toBe(instant);
  });

  // Microseconds, calendar times, and numbers that are too small to be a time of today.
  it.each([
    0,
    1,
    -1_795_000_000,
    1_795_176_000_000_000,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    20_261_120,
    '202611201200',
    '20261120120000',
    true,
    null,
    {},
  ])('is not read: %j', (written) => {
    expect(parseServiceTime(written)).toBeUndefined();
  });
});
