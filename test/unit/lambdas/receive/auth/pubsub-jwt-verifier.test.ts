import { createLocalJWKSet, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { WebhookVerifier } from '../../../../../lambdas/ports.ts';
import { createKeySet, createPubsubJwtVerifier } from '../../../../../lambdas/receive/auth/pubsub-jwt-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import { AUDIENCE, type Issuer, SERVICE_ACCOUNT, startIssuer } from '../../../../support/issuer.ts';

let nowMs: number;
let issuer: Issuer;
let verifier: WebhookVerifier;

const AUTH = {
  kind: 'pubsub-jwt' as const,
  audience: AUDIENCE,
  serviceAccountEmail: SERVICE_ACCOUNT,
  // The keys are given.
  jwksUrl: '',
};

beforeEach(async () => {
  nowMs = Date.parse(NOW);
  issuer = await startIssuer(() => Math.floor(nowMs / 1000));
  const clock = { now: () => new Date(nowMs).toISOString() };
  verifier = createPubsubJwtVerifier(AUTH, createKeySet({ url: issuer.jwksUrl, clock, fetchTimeoutMs: ms(5_000) }));
});
afterEach(() => issuer.close());

// What an attacker may try is in ../attacks.
const verify = (token: string) =>
  verifier.verify({
    headers: { authorization: `Bearer ${token}` },
    unverifiedBody: Buffer.from('{}'),
    receivedAt: new Date(nowMs).toISOString(),
  });
const AUTHENTIC = { kind: 'authentic' };
const DAY_SECONDS = 24 * 3600;

describe('a Pub/Sub push', () => {
  it('is authentic when its clock is up to 30 seconds ahead or behind, and not more', async () => {
    const now = Math.floor(Date.parse(NOW) / 1000);
    expect(await verify(await issuer.sign({ iat: now + 30 }))).toEqual(AUTHENTIC);
    expect(await verify(await issuer.sign({ exp: now - 29 }))).toEqual(AUTHENTIC);
    expect(await verify(await issuer.sign({ iat: now + 31 }))).toEqual({
      kind: 'unauthenticated',
      reason: 'claim iat',
    });
    expect(await verify(await issuer.sign({ exp: now - 31 }))).toEqual({
      kind: 'unauthenticated',
      reason: 'ERR_JWT_EXPIRED',
    });
  });

  it("is unauthenticated when it is signed with the issuer's key but not by RS256, even if the key names no algorithm", async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const { kty, n, e, ...secret } = await exportJWK(privateKey);
    const auth = { kind: 'pubsub-jwt' as const, audience: AUDIENCE, serviceAccountEmail: SERVICE_ACCOUNT, jwksUrl: '' };
    const keys = { find: createLocalJWKSet({ keys: [{ kty, n, e }] }), isNewerThan: () => true };
    const anyAlgorithm = createPubsubJwtVerifier(auth, keys);
    const verdictOn = async (alg: string) => {
      const claims = { aud: AUDIENCE, iss: 'accounts.google.com', email: SERVICE_ACCOUNT, email_verified: true };
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg })
        .setIssuedAt(new Date(NOW))
        .setExpirationTime(new Date(nowMs + 60_000))
        .sign(await importJWK({ kty, n, e, ...secret, alg }, alg));
      const headers = { authorization: `Bearer ${token}` };
      return anyAlgorithm.verify({ headers, unverifiedBody: Buffer.from('{}'), receivedAt: NOW });
    };
    expect(await verdictOn('RS256')).toEqual(AUTHENTIC);
    expect(await verdictOn('PS256')).toEqual({ kind: 'unauthenticated', reason: 'ERR_JOSE_ALG_NOT_ALLOWED' });
  });
});

describe('a verified token', () => {
  let lookups: number;
  beforeEach(() => {
    lookups = 0;
    const clock = { now: () => new Date(nowMs).toISOString() };
    const keys = createKeySet({ url: issuer.jwksUrl, clock, fetchTimeoutMs: ms(5_000) });
    verifier = createPubsubJwtVerifier(AUTH, {
      ...keys,
      find(header, token) {
        lookups += 1;
        return keys.find(header, token);
      },
    });
  });

  it('is not verified again until it expires, and then it is unauthenticated', async () => {
    const token = await issuer.sign({ exp: nowMs / 1000 + 600 });
    expect([await verify(token), await verify(token), lookups]).toEqual([AUTHENTIC, AUTHENTIC, 1]);
    nowMs += 629_999;
    expect([await verify(token), lookups]).toEqual([AUTHENTIC, 1]);
    nowMs += 1;
    const expired = { kind: 'unauthenticated', reason: 'ERR_JWT_EXPIRED' };
    expect([await verify(token), await verify(token), lookups]).toEqual([expired, expired, 3]);
  });

  it('is verified again after an hour, because its key may have been revoked', async () => {
    const token = await issuer.sign({ exp: nowMs / 1000 + 7 * DAY_SECONDS });
    expect([await verify(token), lookups]).toEqual([AUTHENTIC, 1]);
    await issuer.rotate();
    nowMs += 3_599_999;
    expect([await verify(token), lookups]).toEqual([AUTHENTIC, 1]);
    nowMs += 1;
    expect(await verify(token)).toMatchObject({ kind: 'unauthenticated' });
  });

  it('does not make any other token authentic', async () => {
    const token = await issuer.sign();
    await verify(token);
    const [header, payload, signature = ''] = token.split('.');
    const changed = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    for (const other of [`${header}.${payload}.${changed}`, `${header}.${payload}.`, `${token}A`, token.slice(0, -4)]) {
      expect(await verify(other)).toMatchObject({ kind: 'unauthenticated' });
      expect(await verify(other)).toMatchObject({ kind: 'unauthenticated' });
    }
    expect(await verify(token)).toEqual(AUTHENTIC);
  });

  it('is forgotten after ten newer ones', async () => {
    const tokens = await Promise.all(Array.from({ length: 11 }, (_, index) => issuer.sign({ jti: String(index) })));
    for (const token of tokens) await verify(token);
    expect(lookups).toBe(11);
    for (const token of tokens.slice(1)) await verify(token);
    expect(lookups).toBe(11);
    await verify(tokens[0] ?? '');
    expect(lookups).toBe(12);
  });
});

/** Signs three tokens that are valid for a week. None was verified yet, so that none is remembered. */
const signThree = (): Promise<[string, string, string]> => {
  const sign = (jti: string) => issuer.sign({ jti, exp: Math.floor(nowMs / 1000) + 7 * DAY_SECONDS });
  return Promise.all([sign('1'), sign('2'), sign('3')]);
};

describe("the issuer's keys", () => {
  it('are fetched once and cached for as long as Cache-Control allows', async () => {
    const token = await issuer.sign({ exp: Math.floor(nowMs / 1000) + 7200 });
    await verify(token);
    nowMs += 3_599_000;
    await verify(token);
    expect(issuer.fetches()).toBe(1);
    nowMs += 1_000;
    await verify(token);
    expect(issuer.fetches()).toBe(2);
  });

  it('are fetched once for concurrent requests', async () => {
    const token = await issuer.sign();
    await Promise.all(Array.from({ length: 20 }, () => verify(token)));
    expect(issuer.fetches()).toBe(1);
  });

  it('are fetched again for an unknown key id, as after a rotation', async () => {
    await verify(await issuer.sign());
    await issuer.rotate();
    nowMs += 10_000;
    expect(await verify(await issuer.sign())).toEqual(AUTHENTIC);
    expect(issuer.fetches()).toBe(2);
  });

  it('are fetched at a bounded rate, however many tokens name unknown keys', async () => {
    await verify(await issuer.sign());
    for (let second = 0; second < 20; second += 1) {
      nowMs += 1_000;
      expect(await verify(await issuer.sign({}, { kid: `unknown-${second}` }))).toMatchObject({
        kind: 'unauthenticated',
      });
    }
    expect(issuer.fetches()).toBe(3);
  });

  it('are served stale while the issuer is down', async () => {
    const token = await issuer.sign({ exp: Math.floor(nowMs / 1000) + 10_000 });
    await verify(token);
    issuer.fail(true);
    nowMs += 3_601_000;
    expect(await verify(token)).toEqual(AUTHENTIC);
  });

  it('are fetched again after a day, even if Cache-Control allows a year, so that a revoked key is refused', async () => {
    issuer.cacheFor(365 * DAY_SECONDS);
    const [first, second, third] = await signThree();
    await verify(first);
    await issuer.rotate();
    nowMs += DAY_SECONDS * 1000 - 1;
    expect(await verify(second)).toEqual(AUTHENTIC);
    nowMs += 1;
    expect(await verify(third)).toEqual({ kind: 'unauthenticated', reason: 'ERR_JWKS_NO_MATCHING_KEY' });
    expect(issuer.fetches()).toBe(2);
  });

  it('are not served after being stale for a day', async () => {
    const [first, second, third] = await signThree();
    await verify(first);
    issuer.fail(true);
    nowMs += (3600 + DAY_SECONDS) * 1000 - 1;
    expect(await verify(second)).toEqual(AUTHENTIC);
    nowMs += 1;
    expect(await verify(third)).toEqual({ kind: 'unavailable', reason: 'ERR_KEYS_UNAVAILABLE' });
  });

  it('leave a request unverified while they cannot be fetched and none are cached', async () => {
    const token = await issuer.sign();
    issuer.fail(true);
    expect(await verify(token)).toEqual({ kind: 'unavailable', reason: 'ERR_KEYS_UNAVAILABLE' });
    issuer.fail(false);
    nowMs += 1_000;
    expect(await verify(token)).toEqual(AUTHENTIC);
  });
});
