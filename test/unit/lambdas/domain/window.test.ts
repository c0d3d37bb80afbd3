import { describe, expect, it } from 'vitest';
import { isClosedByMargin, isWindowOpen, windowClosesAt } from '../../../../lambdas/domain/window.ts';

const lastInboundAt = '2026-11-20T00:00:00.000Z';

describe('isWindowOpen', () => {
  it.each([
    ['2026-11-20T00:00:00.000Z', true],
    ['2026-11-20T23:58:59.999Z', true],
    ['2026-11-20T23:59:00.000Z', false],
    ['2026-11-21T00:00:00.000Z', false],
  ])('with a margin of one minute, returns at %s: %s', (now, isOpen) => {
    expect(isWindowOpen({ lastInboundAt }, now, 60_000)).toBe(isOpen);
  });

  it('returns false for a user who never wrote', () => {
    expect(isWindowOpen({}, lastInboundAt, 0)).toBe(false);
  });

  it('returns false after the chat service reported the window closed, until the user writes again', () => {
    const windowDeniedAt = '2026-11-20T06:00:00.000Z';
    expect(isWindowOpen({ lastInboundAt, windowDeniedAt }, '2026-11-20T07:00:00.000Z', 0)).toBe(false);
    const wroteAgain = { lastInboundAt: '2026-11-20T06:30:00.000Z', windowDeniedAt };
    const wroteDuringTheCall = { lastInboundAt: windowDeniedAt, windowDeniedAt };
    expect(isWindowOpen(wroteDuringTheCall, '2026-11-20T07:00:00.000Z', 0)).toBe(true);
    expect(isWindowOpen(wroteAgain, '2026-11-20T07:00:00.000Z', 0)).toBe(true);
  });
});

describe('windowClosesAt', () => {
  it('returns the first time at which the window is not open', () => {
    expect(windowClosesAt({ lastInboundAt }, 60_000)).toBe('2026-11-20T23:59:00.000Z');
    expect(windowClosesAt({}, 60_000)).toBeUndefined();
  });
});

describe('isClosedByMargin', () => {
  it.each([
    ['2026-11-20T23:58:59.999Z', false],
    ['2026-11-20T23:59:00.000Z', true],
    ['2026-11-20T23:59:59.999Z', true],
    ['2026-11-21T00:00:00.000Z', false],
  ])('returns true only in the last minute of the 24 hours; at %s: %s', (now, isClosed) => {
    expect(isClosedByMargin({ lastInboundAt }, now, 60_000)).toBe(isClosed);
  });

  it('returns false for a window that the chat service reported closed', () => {
    const contact = { lastInboundAt, windowDeniedAt: '2026-11-20T06:00:00.000Z' };
    expect(isClosedByMargin(contact, '2026-11-20T23:59:30.000Z', 60_000)).toBe(false);
  });
});
