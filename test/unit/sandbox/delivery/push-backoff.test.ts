import { describe, expect, test } from 'vitest';
import { createPushBackoff, PUBSUB_BACKOFF } from '../../../../sandbox/delivery/push-backoff.ts';

describe('the backoff of a subscription', () => {
  test('doubles from 100 ms up to 60 s (Google Cloud Pub/Sub, "Push backoff")', () => {
    const backoff = createPushBackoff(PUBSUB_BACKOFF);

    const pausesMs = Array.from({ length: 12 }, () => backoff.failed(backoff.round()));

    expect(pausesMs.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(pausesMs.slice(-2)).toEqual([60_000, 60_000]);
  });

  test('counts concurrent failures once', () => {
    const backoff = createPushBackoff(PUBSUB_BACKOFF);
    const round = backoff.round();

    expect([backoff.failed(round), backoff.failed(round)]).toEqual([100, undefined]);
    expect(backoff.failed(backoff.round())).toBe(200);
  });

  test('goes back one step with each acknowledgment', () => {
    const backoff = createPushBackoff(PUBSUB_BACKOFF);
    for (let failures = 0; failures < 3; failures += 1) backoff.failed(backoff.round());

    backoff.acknowledged();

    expect(backoff.failed(backoff.round())).toBe(400);
  });
});
