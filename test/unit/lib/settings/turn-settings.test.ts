import { expect, it } from 'vitest';
import { MAX_TURN_MESSAGES } from '../../../../lambdas/domain/turns/turn.ts';
import { turnSettings } from '../../../../lib/settings/turn-settings.ts';
import { faults, read } from './valid-settings.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

it('the limits leave days between the end of the longest turn and the expiry of its first message', () => {
  // According to the contract, the service retries an event for at most seven days. The stream keeps two changes for 24
  // hours each: the latest message and the end of the turn. The rest is for an outage of the turn queue.
  const DELIVERY_MS = 7 * DAY_MS;
  const STREAM_MS = 2 * DAY_MS;
  const longestSilence = 900;
  const shortestRetention = 15;
  expect(turnSettings.safeParse({ silenceSeconds: longestSilence + 1 }).success).toBe(false);
  expect(faults(() => read({ retentionDays: { messages: shortestRetention - 1 } }))).not.toEqual([]);

  const longestTurnMs = MAX_TURN_MESSAGES * longestSilence * 1000;
  expect(longestTurnMs).toBe(25 * HOUR_MS);
  expect(shortestRetention * DAY_MS - (DELIVERY_MS + longestTurnMs + STREAM_MS)).toBeGreaterThan(4 * DAY_MS);
});
