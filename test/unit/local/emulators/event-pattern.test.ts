import { describe, expect, it } from 'vitest';
import { readEventPattern } from '../../../../local/emulators/event-pattern.ts';

const EVENT = {
  source: 'parley',
  'detail-type': 'SendRefused',
  detail: { code: 'NO_OPT_IN', tags: ['a', 'b'], n: 1, x: null },
};
const matches = (pattern: unknown) => readEventPattern(pattern, 'Rule')(EVENT);

describe('an event pattern', () => {
  it.each([
    { source: ['parley'] },
    { source: ['other', 'parley'], 'detail-type': ['SendRefused'] },
    { detail: { code: ['NO_OPT_IN'], n: [1], x: [null] } },
    { detail: { tags: ['b'] } },
    { source: [{ prefix: 'par' }] },
    { 'detail-type': [{ suffix: 'Refused' }] },
    { detail: { code: [{ exists: true }], other: [{ exists: false }] } },
    { 'detail-type': [{ 'anything-but': ['SendAccepted', 'MessageRead'] }] },
    { 'detail-type': [{ 'anything-but': 'SendAccepted' }] },
    {},
    { $or: [{ source: ['other'] }, { detail: { n: [1] } }] },
    { detail: { code: ['NO_OPT_IN'], $or: [{ n: [2] }, { x: [null] }, { tags: [{ exists: true }] }] } },
  ])('matches with %j', (pattern) => {
    expect(matches(pattern)).toBe(true);
  });

  it.each([
    { source: ['other'] },
    { source: ['parley'], 'detail-type': ['SendAccepted'] },
    { detail: { n: ['1'] } },
    { detail: { tags: ['c'] } },
    { source: [{ prefix: 'arley' }] },
    { 'detail-type': [{ suffix: 'Send' }] },
    { detail: { code: [{ exists: false }] } },
    { 'detail-type': [{ 'anything-but': ['SendRefused'] }] },
    { detail: { other: [{ 'anything-but': 'a' }] } },
    { missing: { below: ['x'] } },
    { $or: [{ source: ['other'] }, { detail: { n: [2] } }] },
    { source: ['other'], $or: [{ detail: { n: [1] } }, { detail: { x: [null] } }] },
  ])('does not match with %j', (pattern) => {
    expect(matches(pattern)).toBe(false);
  });

  it.each([
    ['several fields below a list, met by one item', { items: [{ a: 1, b: 1 }, { a: 2 }] }, true],
    ['several fields below a list, met by two items', { items: [{ a: 1 }, { b: 1 }] }, false],
    ['a list in a list', { items: [[{ a: 1, b: [0, 1] }]] }, true],
  ])('with %s', (_, event, isMatch) => {
    expect(readEventPattern({ items: { a: [1], b: [1] } }, 'Rule')(event)).toBe(isMatch);
  });

  it.each([{ detail: {} }, { detail: { code: {} } }, { detail: { code: { a: 1 } } }, { detail: { code: [] } }])(
    'finds no value in %j',
    (event) => {
      expect(readEventPattern({ detail: { code: [{ exists: false }] } }, 'Rule')(event)).toBe(true);
      expect(readEventPattern({ detail: { code: [{ exists: true }] } }, 'Rule')(event)).toBe(false);
    },
  );

  it.each([
    { source: 'parley' },
    { source: ['parley', { exists: false }] },
    { source: [{ wildcard: 'p*' }] },
    { source: [{ prefix: { 'equals-ignore-case': 'p' } }] },
    { source: [{ 'anything-but': { prefix: 'p' } }] },
    { $or: [{ source: ['parley'] }] },
    { $or: { source: ['parley'] } },
    { $or: [['parley'], { source: ['parley'] }] },
    { $or: [{ source: [{ wildcard: 'p*' }] }, { source: ['parley'] }] },
    { $and: [{ source: ['parley'] }, { source: ['parley'] }] },
  ])('rejects the unsupported pattern %j', (pattern) => {
    expect(() => matches(pattern)).toThrow(/the local run does not support this event pattern/);
  });
});
