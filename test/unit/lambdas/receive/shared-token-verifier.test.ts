import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../../../lambdas/ports.ts';
import { createSharedTokenVerifier } from '../../../../lambdas/receive/auth/shared-token-verifier.ts';
import { NOW } from '../../../support/builders.ts';
import { changingSecret } from './signed-posts.ts';

const AUTHENTIC = { kind: 'authentic' };
const TOKEN = 'a-token-of-the-carrier';

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

describe('a post with a shared token', () => {
  it('is authentic with the token in the stage’s header, in whatever case the setting is written', async () => {
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual(AUTHENTIC);
  });

  it.each([
    ['without the header', {}, 'no token'],
    ['with an empty one', { 'x-webhook-token': '' }, 'no token'],
    ['with the token in another header', { 'x-token': TOKEN }, 'no token'],
    ['with another token', { 'x-webhook-token': 'another' }, 'another token'],
    ['with the token’s beginning', { 'x-webhook-token': TOKEN.slice(0, -1) }, 'another token'],
    ['with more than the token', { 'x-webhook-token': `${TOKEN}x` }, 'another token'],
    ['with the token in another case', { 'x-webhook-token': TOKEN.toUpperCase() }, 'another token'],
    ['with the header twice', { 'x-webhook-token': `${TOKEN},${TOKEN}` }, 'another token'],
    ['with the secret’s two lines', { 'x-webhook-token': `${TOKEN}\nanother` }, 'another token'],
  ])('%s is forged', async (_case, headers, reason) => {
    expect(await verify(headers)).toEqual({ kind: 'forged', reason });
  });

  it('may carry it as a bearer token where the header is the standard one', async () => {
    verifier = createSharedTokenVerifier({ kind: 'shared-token', header: 'authorization' }, secret, clock);
    expect(await verify({ authorization: `Bearer ${TOKEN}` })).toEqual(AUTHENTIC);
    expect(await verify({ authorization: TOKEN })).toEqual(AUTHENTIC);
    expect(await verify({ authorization: 'Bearer another' })).toMatchObject({ kind: 'forged' });
  });

  it('is authentic with any of several tokens, and with a new one as soon as it is in the secret', async () => {
    expect(await verify({ 'x-webhook-token': 'new' })).toMatchObject({ kind: 'forged' });
    secret.text = `${TOKEN}\nnew`;
    nowMs += 10_000;
    expect(await verify({ 'x-webhook-token': 'new' })).toEqual(AUTHENTIC);
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual(AUTHENTIC);
  });

  it('is undecided, not refused, while the tokens cannot be read and none are known', async () => {
    secret.failing = true;
    expect(await verify({ 'x-webhook-token': TOKEN })).toEqual({
      kind: 'undecided',
      reason: 'ERR_SECRET_UNAVAILABLE',
    });
  });
});
