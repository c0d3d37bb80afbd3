import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Issuer, startIssuer } from '../../../../support/issuer.ts';
import { replaceInternet } from '../../../../support/replaced-internet.ts';
import { selfSignedCertificate } from '../../../../support/self-signed-certificate.ts';
import { type RealFunction, startRealFunction } from '../real-function.ts';
import { type Attack, type AttackedKind, INJECTED, INJECTED_MARK, type Keys, type Outcome } from './attack.ts';
import { pubsubJwtAttacks } from './pubsub-jwt-attacks.ts';
import { sharedTokenAttacks } from './shared-token-attacks.ts';
import { ABSENT_CERTIFICATE_URL, GENUINE_CERTIFICATE_URL, snsAttacks } from './sns-attacks.ts';
import { standardWebhooksAttacks } from './standard-webhooks-attacks.ts';

// Everything that an attacker may try, per kind of authentication, against the function as its entry wires it: the events
// of the HTTP API, real verifiers with real keys, a table, and queues. Only Amazon SNS's certificates are replaced.

const DAY_MS = 24 * 3_600_000;
const validity = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)] as const;
const [certificate, foreignCertificate] = [selfSignedCertificate(...validity), selfSignedCertificate(...validity)];

let receive: RealFunction;
let issuers: readonly [Issuer, Issuer];
let keys: Keys;
let internet: AsyncDisposable;
const fetched: string[] = [];
const certificateStatus = [200];

type BuildKind = (issuer: Pick<Issuer, 'jwksUrl'>) => AttackedKind;
const kinds: readonly (readonly [string, BuildKind])[] = [
  ['pubsub-jwt', ({ jwksUrl }) => pubsubJwtAttacks(jwksUrl)],
  ['standard-webhooks', () => standardWebhooksAttacks],
  ['shared-token', () => sharedTokenAttacks],
  ['sns', () => snsAttacks],
];
/** The table of cases: the addresses of the keys are known only once the issuer runs, and no name depends on them. */
const KINDS = kinds.map(([kind, build]) => {
  const { honest, attacks } = build({ jwksUrl: '' });
  return { kind, build, honest, attacks };
});

beforeAll(async () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  receive = await startRealFunction();
  issuers = [await startIssuer(nowSeconds), await startIssuer(nowSeconds)];
  const [issuer, foreignIssuer] = issuers;
  keys = { issuer, foreignIssuer, sns: certificate.privateKey, foreignSns: foreignCertificate.privateKey };
  internet = await replaceInternet((url) => {
    fetched.push(url);
    if (url === issuer.jwksUrl) return undefined;
    if (url === GENUINE_CERTIFICATE_URL) return { status: certificateStatus.at(-1), body: certificate.pem };
    // Whatever else is fetched is under the attacker's control, except the host of Amazon SNS itself.
    return url === ABSENT_CERTIFICATE_URL ? { status: 404, body: '' } : { body: foreignCertificate.pem };
  });
});
afterAll(async () => {
  await internet[Symbol.asyncDispose]();
  await Promise.all(issuers.map((issuer) => issuer.close()));
  await receive.close();
});

const post = async ({ request }: Pick<Attack, 'request'>) => {
  const { headers, body } = await request(keys);
  receive.table.calls.length = 0;
  receive.queues.calls.length = 0;
  receive.log.length = 0;
  fetched.length = 0;
  const event = { headers, body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  return receive.post(event);
};
const loggedReasons = () =>
  receive.log
    .join('')
    .split('\n')
    .filter((line) => line.includes('"level"'))
    .map((line) => JSON.parse(line).reason);

const REFUSED = {
  statusCode: 401,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Unauthorized"}',
};

describe.each(KINDS)('with $kind', ({ kind, build, honest, attacks }) => {
  const start = async () => {
    const { auth, secret } = build(issuers[0]);
    if (secret !== undefined) receive.putSecret(secret);
    await receive.start({ ...auth });
  };
  beforeAll(start);

  it.each(honest)('an authentic request is stored: $name', async (control) => {
    await start();
    expect(await post(control)).toMatchObject({ statusCode: 200 });
    expect(Object.keys(await receive.items())).toContain('MESSAGE#genuine MESSAGE');
  });

  it.each(of(attacks, 'refused'))('$name: refused, and nothing is stored or queued', async (attack) => {
    const { auth } = build(issuers[0]);
    expect(await post(attack)).toEqual(REFUSED);
    expect(receive.table.calls).toEqual([]);
    expect(receive.queues.calls).toEqual([]);
    expect(loggedReasons()).toEqual([attack.reason]);
    const known = [String(auth.jwksUrl), GENUINE_CERTIFICATE_URL, ABSENT_CERTIFICATE_URL];
    expect(fetched.filter((url) => !known.includes(url))).toEqual([]);
  });

  it.each(of(attacks, 'genuine only'))('$name: only what is genuine is stored', async (attack) => {
    await start();
    expect(await post(attack)).toMatchObject({ statusCode: 200 });
    expect(receive.queues.calls).toEqual([]);
    expect(Object.keys(await receive.items())).toContain('MESSAGE#genuine MESSAGE');
    expect(JSON.stringify(await receive.items())).not.toMatch(new RegExp(`${INJECTED_MARK}|2001-01-01`));
  });

  it.each(of(attacks, 'handshake'))('$name: no event is stored', async (attack) => {
    expect(await post(attack)).toMatchObject({ statusCode: 200 });
    expect([receive.table.calls, receive.queues.calls]).toEqual([[], []]);
    expect(fetched.filter((url) => url !== GENUINE_CERTIFICATE_URL)).toEqual([]);
  });

  it.each(of(attacks, 'nothing new'))('$name: changes nothing', async (attack) => {
    await start();
    const request = await attack.request(keys);
    const again = { request: () => request };
    expect(await post(again)).toMatchObject({ statusCode: 200 });
    const before = await receive.items();
    expect(Object.keys(before)).toContain('MESSAGE#genuine MESSAGE');
    expect(await post(again)).toMatchObject({ statusCode: 200 });
    expect(await receive.items()).toEqual(before);
    expect(receive.queues.calls).toEqual([]);
  });

  it('has as many attacks as the documentation says, with different names', () => {
    const [refused, genuineOnly, handshake, nothingNew] = [
      of(attacks, 'refused').length,
      of(attacks, 'genuine only').length,
      of(attacks, 'handshake').length,
      of(attacks, 'nothing new').length,
    ];
    const numbers = [refused, genuineOnly + handshake, nothingNew];
    console.info(`${kind}: ${attacks.length} attacks, 0 accepted (${numbers.join(' + ')}); ${honest.length} controls`);
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
    expect(readFileSync('docs/receiving.md', 'utf8')).toContain(`| \`${kind}\` | ${numbers.join(' | ')} | 0 |`);
  });
});

describe('while verification is unavailable', () => {
  const startWith = async (kind: string) => {
    const { auth, secret } = KINDS.find((each) => each.kind === kind)?.build(issuers[0]) ?? {};
    receive.putSecret(secret ?? '');
    await receive.start({ ...auth });
  };
  const controlsOf = (kind: string) => KINDS.find((each) => each.kind === kind)?.honest ?? [];

  it.each([
    { kind: 'pubsub-jwt', disable: () => issuers[0].fail(true), enable: () => issuers[0].fail(false) },
    { kind: 'standard-webhooks', disable: () => receive.putSecret('') },
    { kind: 'shared-token', disable: () => receive.putSecret('short') },
    { kind: 'sns', disable: () => certificateStatus.push(500), enable: () => certificateStatus.pop() },
  ])('a $kind request is neither accepted nor refused for good', async ({ kind, disable, enable }) => {
    await startWith(kind);
    disable();
    for (const control of controlsOf(kind)) {
      expect(await post(control)).toMatchObject({ statusCode: 503, body: '{"message":"Service Unavailable"}' });
      expect([receive.table.calls, receive.queues.calls]).toEqual([[], []]);
    }
    enable?.();
  });
});

describe('a limit of the kind of signature', () => {
  // docs/security.md documents these limits.
  it('is that a captured Pub/Sub token is accepted with another body until it expires', async () => {
    const { auth } = pubsubJwtAttacks(issuers[0].jwksUrl);
    await receive.start({ ...auth });
    const authorization = `Bearer ${await issuers[0].sign()}`;
    expect(await post({ request: () => ({ headers: { authorization }, body: INJECTED }) })).toMatchObject({
      statusCode: 200,
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 + 31_000 });
    expect(await post({ request: () => ({ headers: { authorization }, body: INJECTED }) })).toEqual(REFUSED);
    vi.useRealTimers();
  });

  it('is that a captured token of shared-token is accepted with another body until it is replaced', async () => {
    const [control] = sharedTokenAttacks.honest;
    receive.putSecret(sharedTokenAttacks.secret ?? '');
    await receive.start({ ...sharedTokenAttacks.auth });
    const { headers } = (await control?.request(keys)) ?? {};
    const captured = { request: () => ({ headers: headers ?? {}, body: INJECTED }) };
    expect(await post(captured)).toMatchObject({ statusCode: 200 });
    receive.putSecret('a-new-webhook-token');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 300_000 });
    expect(await post(captured)).toEqual(REFUSED);
    vi.useRealTimers();
  });
});

function of(attacks: readonly Attack[], wanted: Outcome): readonly Attack[] {
  return attacks.filter(({ outcome = 'refused' }) => outcome === wanted);
}
