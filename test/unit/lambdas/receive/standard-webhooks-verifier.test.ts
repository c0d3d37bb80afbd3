import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../../../lambdas/ports.ts';
import { createStandardWebhooksVerifier } from '../../../../lambdas/receive/auth/standard-webhooks-verifier.ts';
import { NOW } from '../../../support/builders.ts';
import { changingSecret, type Post, STANDARD_SECRET, standardWebhooksPost } from './signed-posts.ts';

const OTHER_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BODY = '{"_id_":"message-1"}';
const AUTHENTIC = { kind: 'authentic' };

let now: string;
let secret: ReturnType<typeof changingSecret>;
let verifier: WebhookVerifier;
const auth = { kind: 'standard-webhooks' as const, toleranceSeconds: 300 };

beforeEach(() => {
  now = NOW;
  secret = changingSecret(STANDARD_SECRET);
  verifier = createStandardWebhooksVerifier(auth, secret, { now: () => now });
});
const later = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();
const without =
  (name: string) =>
  ({ headers }: Post) => ({ headers: { ...headers, [name]: undefined } });
const withHeader =
  (name: string, value: string) =>
  ({ headers }: Post) => ({ headers: { ...headers, [name]: value } });

describe('a Standard Webhooks post', () => {
  it('is authentic as in the specification’s own example', async () => {
    // Source: the tests of the specification's libraries, standard-webhooks/standard-webhooks on GitHub
    now = new Date(1614265330 * 1000).toISOString();
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    expect(await verifier.verify({ headers, unverifiedBody: Buffer.from('{"test": 2432232314}') })).toEqual(AUTHENTIC);
    expect(await verifier.verify({ headers, unverifiedBody: Buffer.from('{"test": 2432232315}') })).toEqual({
      kind: 'forged',
      reason: 'signature',
    });
  });

  it('is authentic whatever text stands in it, when the specification’s library signed it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[\w-]{1,40}$/), async (body, id) => {
        const signature = new Webhook(STANDARD_SECRET).sign(id, new Date(NOW), body);
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Date.parse(NOW) / 1000),
          'webhook-signature': signature,
        };
        expect(await verifier.verify({ headers, unverifiedBody: Buffer.from(body) })).toEqual(AUTHENTIC);
      }),
    );
  });

  it('is verified by its bytes: two bodies that read as one text are two', async () => {
    const invalidUtf8 = standardWebhooksPost(Buffer.from([0x22, 0xff, 0x22]));
    expect(await verifier.verify(invalidUtf8)).toEqual(AUTHENTIC);
    const sameText = { ...invalidUtf8, unverifiedBody: Buffer.from([0x22, 0xfe, 0x22]) };
    expect(await verifier.verify(sameText)).toMatchObject({ kind: 'forged' });
  });

  it.each<[string, (post: Post) => Partial<Post>, string]>([
    ['without an id', without('webhook-id'), 'no webhook-id or webhook-timestamp'],
    ['without a timestamp', without('webhook-timestamp'), 'no webhook-id or webhook-timestamp'],
    ['without a signature', without('webhook-signature'), 'no v1 signature'],
    ['with an empty signature', withHeader('webhook-signature', 'v1,'), 'no v1 signature'],
    ['with a shortened signature', withHeader('webhook-signature', 'v1,g0hM9SsE'), 'no v1 signature'],
    [
      'that chooses another version of the signature',
      ({ headers }) => ({
        headers: { ...headers, 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v1a,') },
      }),
      'no v1 signature',
    ],
    ['with another id', withHeader('webhook-id', 'msg_2'), 'signature'],
    ['with another timestamp', withHeader('webhook-timestamp', String(Date.parse(NOW) / 1000 + 1)), 'signature'],
    ['with a timestamp that is no number', withHeader('webhook-timestamp', '1e9'), 'webhook-timestamp'],
    ['with another body', () => ({ unverifiedBody: Buffer.from(`${BODY} `) }), 'signature'],
    ['signed with another secret', () => standardWebhooksPost(BODY, { secret: OTHER_SECRET }), 'signature'],
    ['too old', () => standardWebhooksPost(BODY, { at: later(-301) }), 'webhook-timestamp out of tolerance'],
    ['from the future', () => standardWebhooksPost(BODY, { at: later(301) }), 'webhook-timestamp out of tolerance'],
  ])('%s is forged', async (_case, change, reason) => {
    const post = standardWebhooksPost(BODY);
    expect(await verifier.verify(post)).toEqual(AUTHENTIC);
    expect(await verifier.verify({ ...post, ...change(post) })).toEqual({ kind: 'forged', reason });
  });

  it.each([-300, 300])('%d seconds off our clock is authentic', async (seconds) => {
    expect(await verifier.verify(standardWebhooksPost(BODY, { at: later(seconds) }))).toEqual(AUTHENTIC);
  });

  it('may be signed several times, while the carrier replaces its secret', async () => {
    const [old, mine] = [standardWebhooksPost(BODY, { secret: OTHER_SECRET }), standardWebhooksPost(BODY)];
    const signatures = `v1a,AAAA ${old.headers['webhook-signature']} ${mine.headers['webhook-signature']}`;
    expect(await verifier.verify({ ...mine, ...withHeader('webhook-signature', signatures)(mine) })).toEqual(AUTHENTIC);
  });
});

describe('the secrets', () => {
  it('may be several, a line each', async () => {
    secret.text = `${STANDARD_SECRET}\r\n\n  ${OTHER_SECRET} \n`;
    for (const each of [STANDARD_SECRET, OTHER_SECRET]) {
      expect(await verifier.verify(standardWebhooksPost(BODY, { secret: each }))).toEqual(AUTHENTIC);
    }
    expect(secret.reads).toBe(1);
  });

  it('are read again for the first post that none of them fits: a rotation without a deploy', async () => {
    await verifier.verify(standardWebhooksPost(BODY));
    secret.text = OTHER_SECRET;
    now = later(10);
    expect(await verifier.verify(standardWebhooksPost(BODY, { secret: OTHER_SECRET }))).toEqual(AUTHENTIC);
    expect(await verifier.verify(standardWebhooksPost(BODY))).toMatchObject({ kind: 'forged' });
    expect(secret.reads).toBe(2);
  });

  it('are read again after five minutes, so that one that was taken out no longer counts', async () => {
    await verifier.verify(standardWebhooksPost(BODY));
    secret.text = OTHER_SECRET;
    now = later(300);
    expect(await verifier.verify(standardWebhooksPost(BODY, { at: now }))).toMatchObject({ kind: 'forged' });
  });

  it('are read at a bounded rate, however many forged posts come', async () => {
    await verifier.verify(standardWebhooksPost(BODY));
    for (let second = 1; second <= 20; second += 1) {
      now = later(second);
      const forged = standardWebhooksPost(BODY, { secret: OTHER_SECRET, id: `msg_${second}` });
      expect(await verifier.verify(forged)).toMatchObject({ kind: 'forged' });
    }
    expect(secret.reads).toBe(3);
  });

  it('are used stale while Secrets Manager is out of reach', async () => {
    await verifier.verify(standardWebhooksPost(BODY));
    secret.failing = true;
    now = later(3600);
    expect(await verifier.verify(standardWebhooksPost(BODY, { at: now }))).toEqual(AUTHENTIC);
  });

  it.each([
    ['out of reach', () => Object.assign(secret, { failing: true })],
    ['empty', () => Object.assign(secret, { text: ' \n' })],
    ['no base64', () => Object.assign(secret, { text: 'whsec_not!base64' })],
    ['an empty key', () => Object.assign(secret, { text: 'whsec_' })],
  ])('leave a post undecided, not refused, when they are %s and none are known', async (_case, breakSecret) => {
    breakSecret();
    expect(await verifier.verify(standardWebhooksPost(BODY))).toEqual({
      kind: 'undecided',
      reason: 'ERR_SECRET_UNAVAILABLE',
    });
  });
});
