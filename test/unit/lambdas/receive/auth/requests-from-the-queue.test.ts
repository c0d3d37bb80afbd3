import { beforeEach, describe, expect, it } from 'vitest';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { UnverifiedRequest } from '../../../../../lambdas/ports.ts';
import { createKeySet, createPubsubJwtVerifier } from '../../../../../lambdas/receive/auth/pubsub-jwt-verifier.ts';
import { createSharedTokenVerifier } from '../../../../../lambdas/receive/auth/shared-token-verifier.ts';
import { createSnsVerifier } from '../../../../../lambdas/receive/auth/sns-verifier.ts';
import { createStandardWebhooksVerifier } from '../../../../../lambdas/receive/auth/standard-webhooks-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import { AUDIENCE, SERVICE_ACCOUNT, startIssuer } from '../../../../support/issuer.ts';
import { selfSignedCertificate } from '../../../../support/self-signed-certificate.ts';
import {
  changingSecret,
  STANDARD_SECRET,
  signSns,
  snsNotification,
  snsRequest,
  standardWebhooksRequest,
  TOPIC,
} from '../../../../support/signed-requests.ts';
import { silentLog } from '../../../../support/telemetry.ts';

// A request from the queue is verified long after it arrived, and nobody repeats one that is dropped.

let nowMs: number;
const clock = { now: () => new Date(nowMs).toISOString() };
const HOUR_MS = 3_600_000;
beforeEach(() => {
  nowMs = Date.parse(NOW);
});
const inAnHour = (): void => {
  nowMs += HOUR_MS;
};

const pubsubVerifier = (url: string) =>
  createPubsubJwtVerifier(
    {
      kind: 'pubsub-jwt',
      audience: AUDIENCE,
      serviceAccountEmail: SERVICE_ACCOUNT,
      jwksUrl: '',
    },
    createKeySet({ url, clock, fetchTimeoutMs: ms(5_000) }),
  );

describe('a request that is verified an hour after it arrived', () => {
  it('is authentic with a timestamp that was right then, and not with one that is right now', async () => {
    const secret = changingSecret(STANDARD_SECRET);
    const { verify } = createStandardWebhooksVerifier({ secret, clock, log: silentLog });
    inAnHour();
    const old = standardWebhooksRequest('{}');
    expect(await verify({ ...old, receivedAt: NOW })).toMatchObject({ kind: 'authentic' });
    expect(await verify({ ...old, receivedAt: clock.now() })).toMatchObject({ kind: 'unauthenticated' });
    const recent = standardWebhooksRequest('{}', { at: clock.now() });
    expect(await verify({ ...recent, receivedAt: NOW })).toMatchObject({ kind: 'unauthenticated' });
  });

  it('is authentic with a token that was valid then, whatever tokens were verified before', async () => {
    await using issuer = await startIssuer(() => Math.floor(Date.parse(NOW) / 1000));
    const verifier = pubsubVerifier(issuer.jwksUrl);
    const token = await issuer.sign({ iss: 'accounts.google.com', exp: nowMs / 1000 + 600 });
    const verifyAt = (receivedAt: string) =>
      verifier.verify({ headers: { authorization: `Bearer ${token}` }, unverifiedBody: Buffer.from(''), receivedAt });
    inAnHour();
    expect(await verifyAt(clock.now())).toMatchObject({ kind: 'unauthenticated', reason: 'ERR_JWT_EXPIRED' });
    expect(await verifyAt(NOW)).toEqual({ kind: 'authentic' });
    expect(await verifyAt(clock.now())).toMatchObject({ kind: 'unauthenticated', reason: 'ERR_JWT_EXPIRED' });
    const beforeItsIssue = new Date(Date.parse(NOW) - HOUR_MS).toISOString();
    expect(await verifyAt(beforeItsIssue)).toMatchObject({ kind: 'unauthenticated', reason: 'claim iat' });
  });

  it('is authentic with a certificate that was valid then', async () => {
    const until = new Date(Date.parse(NOW) + 60_000);
    const { pem, privateKey } = selfSignedCertificate(new Date('2026-01-01T00:00:00Z'), until);
    const get = async () => ({ text: pem, headers: {} });
    const verifier = createSnsVerifier({ kind: 'sns', topicArn: TOPIC }, { get, clock, fetchTimeoutMs: ms(400) });
    const request = snsRequest(signSns(snsNotification(), privateKey));
    inAnHour();
    expect(await verifier.verify({ ...request, receivedAt: NOW })).toMatchObject({ kind: 'authentic' });
    expect(await verifier.verify({ ...request, receivedAt: clock.now() })).toMatchObject({ kind: 'unauthenticated' });
  });
});

describe('a request that no secret matches', () => {
  const NEW_TOKEN = 'a-new-webhook-token';
  let secret: ReturnType<typeof changingSecret>;
  let verify: (request: UnverifiedRequest) => Promise<unknown>;
  const withToken = (token: string): UnverifiedRequest => ({
    headers: { 'x-token': token },
    unverifiedBody: Buffer.from('{}'),
    receivedAt: clock.now(),
  });
  const provisional = { kind: 'unauthenticated', reason: 'wrong token', isProvisional: true };
  beforeEach(() => {
    secret = changingSecret('a-webhook-token-1');
    const auth = { kind: 'shared-token' as const, header: 'x-token', envelope: 'none' as const };
    ({ verify } = createSharedTokenVerifier(auth, { secret, clock, log: silentLog }));
  });

  it('is rejected for the time being if the secret was read before it arrived, as just after a rotation', async () => {
    await verify(withToken('an-injected-token'));
    nowMs += 1_000;
    secret.text = NEW_TOKEN;
    const request = withToken(NEW_TOKEN);
    expect(await verify(request)).toEqual(provisional);
    nowMs += 10_000;
    expect(await verify(request)).toEqual({ kind: 'authentic' });
  });

  it('is rejected for good once the secret was read after it arrived', async () => {
    await verify(withToken('an-injected-token'));
    nowMs += 1_000;
    const request = withToken('another-injected-one');
    expect(await verify(request)).toEqual(provisional);
    nowMs += 10_000;
    expect(await verify(request)).toEqual({ kind: 'unauthenticated', reason: 'wrong token' });
  });

  it('is not rejected for good while the secret cannot be read again', async () => {
    await verify(withToken('a-webhook-token-1'));
    secret.isUnavailable = true;
    nowMs += 60_000;
    const request = withToken(NEW_TOKEN);
    nowMs += 20_000;
    expect(await verify(request)).toEqual(provisional);
  });
});

describe('a Pub/Sub push with an unknown key', () => {
  it('is rejected for the time being until the keys were fetched after it arrived', async () => {
    await using issuer = await startIssuer(() => Math.floor(Date.parse(NOW) / 1000));
    const verifier = pubsubVerifier(issuer.jwksUrl);
    const verifyAt = (token: string, receivedAt: string) =>
      verifier.verify({ headers: { authorization: `Bearer ${token}` }, unverifiedBody: Buffer.from(''), receivedAt });
    await verifyAt(await issuer.sign({}, { kid: 'unknown' }), clock.now());
    await issuer.rotate();
    nowMs += 1_000;
    const arrived = clock.now();
    const token = await issuer.sign({ iss: 'accounts.google.com' });
    expect(await verifyAt(token, arrived)).toMatchObject({ kind: 'unauthenticated', isProvisional: true });
    nowMs += 10_000;
    expect(await verifyAt(token, arrived)).toEqual({ kind: 'authentic' });
  });
});
