import { expect, it } from 'vitest';
import { createCheckTokenExpiry } from '../../../../lambdas/manage/check-token-expiry.ts';
import { jwt, NOW } from '../../../support/builders.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const countedFor = async (read: () => Promise<string>): Promise<readonly unknown[]> => {
  const metrics = recordingMetrics();
  await createCheckTokenExpiry({ accessToken: { read }, clock: { now: () => NOW }, log: silentLog, metrics })();
  return metrics.counted;
};
const inDays = (days: number) => jwt({ exp: Date.parse(NOW) / 1000 + days * 24 * 60 * 60 });

it.each([
  ['in 30 days', inDays(30), ['AccessTokenExpiring']],
  ['yesterday', inDays(-1), ['AccessTokenExpiring']],
  ['in 31 days', inDays(31), []],
  ['at a time that it does not say', 'opaque', []],
])('counts an access token that expires %s', async (_case, token, counted) => {
  expect(await countedFor(async () => token)).toEqual(counted);
});

it('does not fail if the token cannot be read, so that dead letters are kept', async () => {
  expect(await countedFor(() => Promise.reject(new Error('Secrets Manager is unavailable.')))).toEqual([]);
});
