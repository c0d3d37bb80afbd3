import { describe, expect, it } from 'vitest';
import { eventTime } from '../../../../lambdas/domain/event-time.ts';

const times = { publishedAt: '2026-11-20T11:59:58.000Z', receivedAt: '2026-11-20T12:00:00.000Z' };

describe('an event’s time', () => {
  it('is its CREATION_TIME, however late the event arrives', () => {
    expect(eventTime('2026-11-14T12:00:00.000Z', times)).toEqual({ at: '2026-11-14T12:00:00.000Z', source: 'event' });
  });

  it('is told in UTC when CREATION_TIME has another offset', () => {
    expect(eventTime('2026-11-20T08:30:00.5-03:00', times).at).toBe('2026-11-20T11:30:00.500Z');
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 1795168520757],
    ['no time', 'yesterday'],
    ['no day', '2026-02-30T11:00:00.000Z'],
    ['without an offset', '2026-11-20T11:00:00.000'],
    ['in a year of five digits, once in UTC', '9999-12-31T23:59:59-01:00'],
    ['before the year 0, once in UTC', '0000-01-01T00:00:00+01:00'],
    ['in the future', '2026-11-20T12:00:00.001Z'],
  ])('is the carrier’s publish time when CREATION_TIME is %s', (_case, creationTime) => {
    expect(eventTime(creationTime, times)).toEqual({ at: times.publishedAt, source: 'carrier' });
  });

  it('is the arrival when the carrier names no time either', () => {
    expect(eventTime(undefined, { receivedAt: times.receivedAt })).toEqual({ at: times.receivedAt, source: 'arrival' });
  });

  it('is the arrival when the carrier’s time is in the future too', () => {
    const ahead = { ...times, publishedAt: '2026-11-21T00:00:00.000Z' };
    expect(eventTime('2027-01-01T00:00:00Z', ahead)).toEqual({ at: times.receivedAt, source: 'arrival' });
  });
});
