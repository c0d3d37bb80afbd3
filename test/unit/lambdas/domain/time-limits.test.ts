import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../../lambdas/domain/duration.ts';
import { CONNECT_TIMEOUT_SECONDS, timeLimits } from '../../../../lambdas/domain/time-limits.ts';

describe('the time limits of the function send', () => {
  it('make contacts wait only three minutes after their function is killed, by default', () => {
    expect(timeLimits(seconds(10))).toEqual({
      callSeconds: 37,
      requiredSeconds: 85,
      probeSeconds: 159,
      timeoutSeconds: 120,
      leaseSeconds: 150,
      visibilitySeconds: 180,
    });
  });

  it('each exceed the one inside, whatever the timeout of an answer', () => {
    const timeout = fc.integer({ min: 1, max: 300 }).map(seconds);
    fc.assert(
      fc.property(timeout, (answerTimeoutSeconds) => {
        const limits = timeLimits(answerTimeoutSeconds);
        // A refused token is refreshed, and a closed window leads to a template: four calls in all.
        // The write of the outcome takes up to ten seconds.
        expect(limits.callSeconds).toBeGreaterThanOrEqual(2 * (CONNECT_TIMEOUT_SECONDS + answerTimeoutSeconds) + 10);
        expect(limits.requiredSeconds).toBeGreaterThan(2 * limits.callSeconds);
        expect(limits.timeoutSeconds).toBeGreaterThan(limits.requiredSeconds);
        expect(limits.probeSeconds).toBeGreaterThanOrEqual(limits.requiredSeconds + limits.callSeconds);
        expect(limits.leaseSeconds).toBeGreaterThan(limits.timeoutSeconds);
        expect(limits.visibilitySeconds).toBeGreaterThan(limits.leaseSeconds);
        expect(limits.visibilitySeconds - limits.timeoutSeconds).toBe(60);
      }),
    );
  });
});
