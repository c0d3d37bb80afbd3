import { describe, expect, it } from 'vitest';
import { isWindowOpen } from '../../../../lambdas/domain/window.ts';

const lastInboundAt = '2026-11-20T00:00:00.000Z';

describe('the conversation window', () => {
  it.each([
    ['2026-11-20T00:00:00.000Z', true],
    ['2026-11-20T23:58:59.999Z', true],
    ['2026-11-20T23:59:00.000Z', false],
    ['2026-11-21T00:00:00.000Z', false],
  ])('24 hours less a minute’s margin: at %s its being open is %s', (now, open) => {
    expect(isWindowOpen({ lastInboundAt }, now, 60_000)).toBe(open);
  });

  it('is closed for a user who never wrote', () => {
    expect(isWindowOpen({}, lastInboundAt, 0)).toBe(false);
  });

  it('is closed once the service has said so, until the user writes again', () => {
    const windowDeniedAt = '2026-11-20T06:00:00.000Z';
    expect(isWindowOpen({ lastInboundAt, windowDeniedAt }, '2026-11-20T07:00:00.000Z', 0)).toBe(false);
    const wroteAgain = { lastInboundAt: '2026-11-20T06:30:00.000Z', windowDeniedAt };
    expect(isWindowOpen(wroteAgain, '2026-11-20T07:00:00.000Z', 0)).toBe(true);
  });
});
