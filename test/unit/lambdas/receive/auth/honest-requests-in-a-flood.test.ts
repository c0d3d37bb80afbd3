import { beforeEach, describe, expect, it } from 'vitest';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { WebhookVerifier } from '../../../../../lambdas/ports.ts';
import { UnexpectedAnswerError } from '../../../../../lambdas/receive/auth/http-get.ts';
import { createKeySet, createPubsubJwtVerifier } from '../../../../../lambdas/receive/auth/pubsub-jwt-verifier.ts';
import { createSharedTokenVerifier } from '../../../../../lambdas/receive/auth/shared-token-verifier.ts';
import { createSnsVerifier } from '../../../../../lambdas/receive/auth/sns-verifier.ts';
import { createStandardWebhooksVerifier } from '../../../../../lambdas/receive/auth/standard-webhooks-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import { AUDIENCE, type Issuer, SERVICE_ACCOUNT, startIssuer } from '../../../../support/issuer.ts';
import { selfSignedCertificate } from '../../../../support/self-signed-certificate.ts';
import {
  CERTIFICATE_URL,
  changingSecret,
  type SignedRequest,
  STANDARD_SECRET,
  signSns,
  snsNotification,
  snsRequest,
  standardWebhooksRequest,
  TOPIC,
} from '../../../../support/signed-requests.ts';
import { silentLog } from '../../../../support/telemetry.ts';

// Anyone who knows the webhook's URL can send unauthenticated requests. They must not affect authentic ones.

const SECONDS = Array.from({ length: 60 }, (_, second) => second);

let nowMs: number;
const clock = { now: () => new Date(nowMs).toISOString() };
beforeEach(() => {
  nowMs = Date.parse(NOW);
});

/** Verifies each request as it arrives. */
const asItArrives =
  ({ verify }: WebhookVerifier) =>
  (request: SignedRequest) =>
    verify({ ...request, receivedAt: clock.now() });

/** Returns how often each verdict was given. */
const tally = (kinds: readonly string[]) =>
  Object.fromEntries(Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([kind, all]) => [kind, all?.length]));

describe('authentic Amazon SNS notifications', () => {
  const { pem, privateKey } = selfSignedCertificate(new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z'));
  const honest = signSns(snsNotification(), privateKey);
  const injected = (address: number) => ({
    ...honest,
    SigningCertURL: CERTIFICATE_URL.replace('0'.repeat(32), address.toString(16).padStart(32, 'f')),
  });
  let fetched: string[];
  let answerFor: (url: string) => string | Error;
  const verifier = () =>
    createSnsVerifier(
      { kind: 'sns', topicArn: TOPIC },
      {
        get: async (url) => {
          fetched.push(url);
          const answer = answerFor(url);
          if (answer instanceof Error) throw answer;
          return { text: answer, headers: {} };
        },
        clock,
        fetchTimeoutMs: ms(400),
      },
    );
  beforeEach(() => {
    fetched = [];
    answerFor = (url) => (url === CERTIFICATE_URL ? pem : new UnexpectedAnswerError('no such document', 404));
  });

  it('are all accepted during a flood of one invented certificate address per second', async () => {
    const verify = asItArrives(verifier());
    const verdicts: string[] = [];
    for (const second of SECONDS) {
      nowMs += 500;
      await verify(snsRequest(injected(second)));
      nowMs += 500;
      verdicts.push((await verify(snsRequest(honest))).kind);
    }
    expect(tally(verdicts)).toEqual({ authentic: 60 });
  });

  it('are all accepted when a hundred invented addresses arrive before each of them', async () => {
    const verify = asItArrives(verifier());
    const verdicts: string[] = [];
    for (const second of SECONDS) {
      for (let count = 0; count < 100; count += 1) await verify(snsRequest(injected(100 * second + count)));
      verdicts.push((await verify(snsRequest(honest))).kind);
    }
    expect(tally(verdicts)).toEqual({ authentic: 60 });
    expect(fetched.filter((url) => url === CERTIFICATE_URL)).toHaveLength(1);
  });

  it('wait only for their own certificate, while fetches of invented addresses hang', async () => {
    const hanging = new Promise<never>(() => undefined);
    const verify = asItArrives(
      createSnsVerifier(
        { kind: 'sns', topicArn: TOPIC },
        {
          get: (url) => (url === CERTIFICATE_URL ? Promise.resolve({ text: pem, headers: {} }) : hanging),
          clock,
          fetchTimeoutMs: ms(400),
        },
      ),
    );
    for (const second of SECONDS) void verify(snsRequest(injected(second)));
    expect(await verify(snsRequest(honest))).toMatchObject({ kind: 'authentic' });
  });

  it('cost one fetch a minute for an address that unauthenticated requests keep naming', async () => {
    const verify = asItArrives(verifier());
    for (const _second of SECONDS) {
      for (let count = 0; count < 10; count += 1) await verify(snsRequest(injected(1)));
      nowMs += 1_000;
    }
    expect(fetched).toHaveLength(1);
  });
});

describe('authentic Pub/Sub pushes', () => {
  const postTo = ({ jwksUrl }: Issuer) => {
    const auth = {
      kind: 'pubsub-jwt' as const,
      audience: AUDIENCE,
      serviceAccountEmail: SERVICE_ACCOUNT,
      jwksUrl,
    };
    const keys = createKeySet({ url: jwksUrl, clock, fetchTimeoutMs: ms(5_000) });
    const verify = asItArrives(createPubsubJwtVerifier(auth, keys));
    return async (token: string) =>
      (await verify({ headers: { authorization: `Bearer ${token}` }, unverifiedBody: Buffer.from('{}') })).kind;
  };

  it('are all accepted during a flood of ten tokens per second with unknown keys, even while the issuer is down', async () => {
    await using issuer = await startIssuer(() => Math.floor(Date.parse(NOW) / 1000));
    const post = postTo(issuer);
    const [honest, injected] = [await issuer.sign(), await issuer.sign({}, { kid: 'unknown' })];
    const verdicts = [await post(honest)];
    for (const second of SECONDS) {
      issuer.fail(second >= 30);
      nowMs += 1_000;
      for (let count = 0; count < 10; count += 1) expect(await post(injected)).toBe('unauthenticated');
      verdicts.push(await post(honest));
    }
    expect(tally(verdicts)).toEqual({ authentic: 61 });
  });

  it('are accepted with a new key within ten seconds, although unauthenticated requests use up the refreshes', async () => {
    await using issuer = await startIssuer(() => Math.floor(Date.parse(NOW) / 1000));
    const post = postTo(issuer);
    const injected = await issuer.sign({}, { kid: 'unknown' });
    await post(injected);
    await issuer.rotate();
    const honest = await issuer.sign();
    const refusedSeconds: number[] = [];
    for (const second of SECONDS) {
      nowMs += 1_000;
      await post(injected);
      if ((await post(honest)) !== 'authentic') refusedSeconds.push(second);
    }
    expect(refusedSeconds.length).toBeLessThan(10);
    expect(refusedSeconds).toEqual([...refusedSeconds.keys()]);
  });
});

describe('authentic requests with a secret', () => {
  const TOKEN = 'a-webhook-token-1';
  const body = Buffer.from('{"_id_":"message-1"}');

  it.each([
    {
      kind: 'shared-token',
      text: TOKEN,
      create: (secret: ReturnType<typeof changingSecret>) =>
        createSharedTokenVerifier(
          { kind: 'shared-token', header: 'x-token', envelope: 'none' },
          { secret, clock, log: silentLog },
        ),
      honest: () => ({ headers: { 'x-token': TOKEN }, unverifiedBody: body }),
      injected: () => ({ headers: { 'x-token': 'a-wrong-token-123' }, unverifiedBody: body }),
    },
    {
      kind: 'standard-webhooks',
      text: STANDARD_SECRET,
      create: (secret: ReturnType<typeof changingSecret>) =>
        createStandardWebhooksVerifier({ secret, clock, log: silentLog }),
      honest: () => standardWebhooksRequest(body, { at: clock.now() }),
      injected: () => ({ ...standardWebhooksRequest(body, { at: clock.now() }), unverifiedBody: Buffer.from('{}') }),
    },
  ])('of $kind are all authentic beside wrong ones, also while the secret is unavailable', async (kind) => {
    const secret = changingSecret(kind.text);
    const verify = asItArrives(kind.create(secret));
    const verdicts: string[] = [];
    for (const second of SECONDS) {
      secret.isUnavailable = second >= 30;
      nowMs += 1_000;
      for (let count = 0; count < 10; count += 1) expect((await verify(kind.injected())).kind).toBe('unauthenticated');
      verdicts.push((await verify(kind.honest())).kind);
    }
    expect(tally(verdicts)).toEqual({ authentic: 60 });
    // Once in 10 seconds while it is available, and once per second while it is not.
    expect(secret.reads).toBeLessThanOrEqual(3 + 31);
  });
});
