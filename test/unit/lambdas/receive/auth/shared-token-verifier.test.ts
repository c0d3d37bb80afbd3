import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../../../../lambdas/ports.ts';
import { createSharedTokenVerifier } from '../../../../../lambdas/receive/auth/shared-token-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import { changingSecret } from '../../../../support/signed-requests.ts';
import { recordingLog } from '../../../../support/telemetry.ts';

const AUTHENTIC = { kind: 'authentic' };
const TOKEN = 'a-webhook-token-1';
const NEW_TOKEN = 'a-new-webhook-token';

let nowMs: number;
let secret: ReturnType<typeof changingSecret>;
let verifier: WebhookVerifier;
let log: ReturnType<typeof recordingLog>;
const clock = { now: () => new Date(nowMs).toISOString() };

beforeEach(() => {
  nowMs = Date.parse(NOW);
  secret = changingSecret(TOKEN);
  log = recordingLog();
  verifier = createSharedTokenVerifier(
    { kind: 'shared-token', header: 'X-Webhook-Token', envelope: 'none' },
    { secret, clock, log },
  );
});
const verify = (headers: Record<string, string | undefined>) =>
  verifier.verify({ headers, unverifiedBody: Buffer.from('{}'), receivedAt: clock.now() });

// What an attacker may try is in ../attacks.
describe('a request with a shared token', () => {
  it('is authentic with the token in the configured header, regardless of the case of the setting', async () => {
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual(AUTHENTIC);
  });

  it('may carry it as a bearer token when the header is Authorization', async () => {
    verifier = createSharedTokenVerifier(
      { kind: 'shared-token', header: 'authorization', envelope: 'none' },
      { secret, clock, log },
    );
    expect(await verify({ authorization: `Bearer ${TOKEN}` })).toEqual(AUTHENTIC);
    expect(await verify({ authorization: TOKEN })).toEqual(AUTHENTIC);
    expect(await verify({ authorization: 'Bearer another' })).toMatchObject({ kind: 'unauthenticated' });
  });

  it('is authentic with any of several tokens, and with a new one as soon as the secret has it', async () => {
    expect(await verify({ 'x-webhook-token': NEW_TOKEN })).toMatchObject({ kind: 'unauthenticated' });
    secret.text = `${TOKEN}\n${NEW_TOKEN}`;
    nowMs += 10_000;
    expect(await verify({ 'x-webhook-token': NEW_TOKEN })).toEqual(AUTHENTIC);
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual(AUTHENTIC);
  });

  it('is left unverified rather than refused while the tokens are unavailable and none are cached', async () => {
    secret.isUnavailable = true;
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual({
      kind: 'unavailable',
      reason: 'ERR_SECRET_UNAVAILABLE',
    });
  });
});

describe('a token shorter than 16 characters', () => {
  const SHORT = 'only-15-letters';
  const REASON = "A token in the webhook's secret is shorter than 16 characters. Store a longer, random one.";

  it('is not accepted, and the log says so without quoting it', async () => {
    secret.text = SHORT;
    expect(await verify({ 'x-webhook-token': SHORT })).toEqual({
      kind: 'unavailable',
      reason: 'ERR_SECRET_UNAVAILABLE',
    });
    expect(log.logged).toEqual([['error', 'webhook secret invalid', { reason: REASON }]]);
    secret.text = `${SHORT}x`;
    nowMs += 1_000;
    expect(await verify({ 'x-webhook-token': `${SHORT}x` })).toEqual(AUTHENTIC);
  });

  it('beside a valid one is refused with it, and the tokens before them stay in use', async () => {
    await verify({ 'x-webhook-token': TOKEN });
    secret.text = `${NEW_TOKEN}\n${SHORT}`;
    nowMs += 10_000;
    for (const token of [SHORT, NEW_TOKEN]) {
      expect(await verify({ 'x-webhook-token': token })).toMatchObject({ kind: 'unauthenticated' });
    }
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual(AUTHENTIC);
    expect(log.logged).toEqual([['error', 'webhook secret invalid', { reason: REASON }]]);
  });
});
