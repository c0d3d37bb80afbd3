import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../../../../lambdas/ports.ts';
import { createSharedTokenVerifier } from '../../../../../lambdas/receive/auth/shared-token-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import { changingSecret } from '../../../../support/signed-requests.ts';

const AUTHENTIC = { kind: 'authentic' };
const TOKEN = 'a-webhook-token';

let nowMs: number;
let secret: ReturnType<typeof changingSecret>;
let verifier: WebhookVerifier;
const clock = { now: () => new Date(nowMs).toISOString() };

beforeEach(() => {
  nowMs = Date.parse(NOW);
  secret = changingSecret(TOKEN);
  verifier = createSharedTokenVerifier({ kind: 'shared-token', header: 'X-Webhook-Token' }, secret, clock);
});
const verify = (headers: Record<string, string | undefined>) =>
  verifier.verify({ headers, unverifiedBody: Buffer.from('{}') });

describe('a request with a shared token', () => {
  it('is authentic with the token in the configured header, regardless of the case of the setting', async () => {
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual(AUTHENTIC);
  });

  it.each([
    ['without the header', {}, 'no token'],
    ['with an empty header', { 'x-webhook-token': '' }, 'no token'],
    ['with the token in another header', { 'x-token': TOKEN }, 'no token'],
    ['with another token', { 'x-webhook-token': 'another' }, 'wrong token'],
    ['with only the start of the token', { 'x-webhook-token': TOKEN.slice(0, -1) }, 'wrong token'],
    ['with more than the token', { 'x-webhook-token': `${TOKEN}x` }, 'wrong token'],
    ['with the token in another case', { 'x-webhook-token': TOKEN.toUpperCase() }, 'wrong token'],
    ['with the header sent twice', { 'x-webhook-token': `${TOKEN},${TOKEN}` }, 'wrong token'],
    ['with two lines of the secret', { 'x-webhook-token': `${TOKEN}\nanother` }, 'wrong token'],
  ])('%s is unauthenticated', async (_case, headers, reason) => {
    expect(await verify(headers)).toEqual({ kind: 'unauthenticated', reason });
  });

  it('may carry it as a bearer token when the header is Authorization', async () => {
    verifier = createSharedTokenVerifier({ kind: 'shared-token', header: 'authorization' }, secret, clock);
    expect(await verify({ authorization: `Bearer ${TOKEN}` })).toEqual(AUTHENTIC);
    expect(await verify({ authorization: TOKEN })).toEqual(AUTHENTIC);
    expect(await verify({ authorization: 'Bearer another' })).toMatchObject({ kind: 'unauthenticated' });
  });

  it('is authentic with any of several tokens, and with a new one as soon as the secret has it', async () => {
    expect(await verify({ 'x-webhook-token': 'new' })).toMatchObject({ kind: 'unauthenticated' });
    secret.text = `${TOKEN}\nnew`;
    nowMs += 10_000;
    expect(await verify({ 'x-webhook-token': 'new' })).toEqual(AUTHENTIC);
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
