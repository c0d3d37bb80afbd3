import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../../../../lambdas/ports.ts';
import { createStandardWebhooksVerifier } from '../../../../../lambdas/receive/auth/standard-webhooks-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import {
  changingSecret,
  type SignedRequest,
  STANDARD_SECRET,
  standardWebhooksRequest,
} from '../../../../support/signed-requests.ts';
import { recordingLog } from '../../../../support/telemetry.ts';

const OTHER_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const BODY = '{"_id_":"message-1"}';
const AUTHENTIC = { kind: 'authentic', deliveryId: 'msg_1' };

let now: string;
let secret: ReturnType<typeof changingSecret>;
let verifier: WebhookVerifier;
let log: ReturnType<typeof recordingLog>;

beforeEach(() => {
  now = NOW;
  secret = changingSecret(STANDARD_SECRET);
  log = recordingLog();
  verifier = createStandardWebhooksVerifier({ secret, clock: { now: () => now }, log });
});
/** Verifies a request as it arrives. */
const verify = (request: SignedRequest) => verifier.verify({ ...request, receivedAt: now });
const later = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

// What an attacker may try is in ../attacks.
describe('a Standard Webhooks request', () => {
  it("is authentic as in the specification's example", async () => {
    // Source: the tests of the specification's libraries, standard-webhooks/standard-webhooks on GitHub
    now = new Date(1614265330 * 1000).toISOString();
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    expect(await verify({ headers, unverifiedBody: Buffer.from('{"test": 2432232314}') })).toEqual({
      kind: 'authentic',
      deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    });
    expect(await verify({ headers, unverifiedBody: Buffer.from('{"test": 2432232315}') })).toEqual({
      kind: 'unauthenticated',
      reason: 'invalid signature',
    });
  });

  it.each([' ', ', ', ','])(
    'is authentic with one of several signatures that are separated by %j',
    async (separator) => {
      const request = standardWebhooksRequest(BODY);
      const signature = request.headers['webhook-signature'] ?? '';
      const other = `v1,${'A'.repeat(43)}=`;
      for (const signatures of [
        [signature, other],
        [other, signature],
        ['v1a,x', signature],
      ]) {
        const headers = { ...request.headers, 'webhook-signature': signatures.join(separator) };
        expect(await verify({ ...request, headers })).toEqual(AUTHENTIC);
      }
    },
  );

  it("is authentic with any body when the specification's library signed it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[\w-]{1,40}$/), async (body, id) => {
        const signature = new Webhook(STANDARD_SECRET).sign(id, new Date(NOW), body);
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Date.parse(NOW) / 1000),
          'webhook-signature': signature,
        };
        expect(await verify({ headers, unverifiedBody: Buffer.from(body) })).toEqual({
          kind: 'authentic',
          deliveryId: id,
        });
      }),
    );
  });

  it('is verified by its bytes: two bodies that decode to the same string are different', async () => {
    const invalidUtf8 = standardWebhooksRequest(Buffer.from([0x22, 0xff, 0x22]));
    expect(await verify(invalidUtf8)).toEqual(AUTHENTIC);
    const sameText = { ...invalidUtf8, unverifiedBody: Buffer.from([0x22, 0xfe, 0x22]) };
    expect(await verify(sameText)).toMatchObject({ kind: 'unauthenticated' });
  });

  it.each([-300, 300])('is authentic %d seconds off the clock', async (seconds) => {
    expect(await verify(standardWebhooksRequest(BODY, { at: later(seconds) }))).toEqual(AUTHENTIC);
  });
});

describe('the webhook secrets', () => {
  it('can be several, one per line', async () => {
    secret.text = `${STANDARD_SECRET}\r\n\n  ${OTHER_SECRET} \n`;
    for (const each of [STANDARD_SECRET, OTHER_SECRET]) {
      expect(await verify(standardWebhooksRequest(BODY, { secret: each }))).toEqual(AUTHENTIC);
    }
    expect(secret.reads).toBe(1);
  });

  it('are read again when a request matches none of them, so that a rotation needs no deployment', async () => {
    await verify(standardWebhooksRequest(BODY));
    secret.text = OTHER_SECRET;
    now = later(10);
    expect(await verify(standardWebhooksRequest(BODY, { secret: OTHER_SECRET }))).toEqual(AUTHENTIC);
    expect(await verify(standardWebhooksRequest(BODY))).toMatchObject({ kind: 'unauthenticated' });
    expect(secret.reads).toBe(2);
  });

  it('are read again after five minutes, so that a removed secret is no longer accepted', async () => {
    await verify(standardWebhooksRequest(BODY));
    secret.text = OTHER_SECRET;
    now = later(300);
    expect(await verify(standardWebhooksRequest(BODY, { at: now }))).toMatchObject({
      kind: 'unauthenticated',
    });
  });

  it('are read at a bounded rate, however many unauthenticated requests arrive', async () => {
    await verify(standardWebhooksRequest(BODY));
    for (let second = 1; second <= 20; second += 1) {
      now = later(second);
      const unauthenticated = standardWebhooksRequest(BODY, { secret: OTHER_SECRET, id: `msg_${second}` });
      expect(await verify(unauthenticated)).toMatchObject({ kind: 'unauthenticated' });
    }
    expect(secret.reads).toBe(3);
  });

  it('are served stale while Secrets Manager is unavailable', async () => {
    await verify(standardWebhooksRequest(BODY));
    secret.isUnavailable = true;
    now = later(3600);
    expect(await verify(standardWebhooksRequest(BODY, { at: now }))).toEqual(AUTHENTIC);
  });

  it('are served stale for a day, after which requests are answered as unverified and redelivered', async () => {
    await verify(standardWebhooksRequest(BODY));
    secret.isUnavailable = true;
    const verdictAt = (seconds: number) => {
      now = later(seconds);
      return verify(standardWebhooksRequest(BODY, { at: now }));
    };
    const FIVE_MINUTES_AND_A_DAY = 300 + 24 * 3600;
    expect(await verdictAt(FIVE_MINUTES_AND_A_DAY - 1)).toEqual(AUTHENTIC);
    expect(await verdictAt(FIVE_MINUTES_AND_A_DAY)).toMatchObject({ kind: 'unavailable' });
    secret.isUnavailable = false;
    expect(await verdictAt(FIVE_MINUTES_AND_A_DAY + 1)).toEqual(AUTHENTIC);
  });

  it('leave a request unverified rather than refused when they are unavailable and none are cached', async () => {
    secret.isUnavailable = true;
    expect(await verify(standardWebhooksRequest(BODY))).toEqual({
      kind: 'unavailable',
      reason: 'ERR_SECRET_UNAVAILABLE',
    });
    expect(log.logged).toEqual([]);
  });

  it.each([
    ['are empty', ' \n', /^The webhook's secret is empty\./],
    ['are not base64', 'whsec_not!base64', /is not base64\./],
    ['have no bytes', 'whsec_', /fewer than 24 bytes\./],
    ['have 23 bytes', `whsec_${Buffer.alloc(23, 1).toString('base64')}`, /fewer than 24 bytes\./],
  ])(
    'leave a request unverified when they %s, and the log says so without quoting them',
    async (_case, text, reason) => {
      secret.text = text;
      const key = text.trim().replace('whsec_', '');
      // The attacker's key is known: it is the one that Parley must not use.
      const request = standardWebhooksRequest(BODY, { secret: text.trim() });
      expect(await verify(request)).toEqual({ kind: 'unavailable', reason: 'ERR_SECRET_UNAVAILABLE' });
      expect(log.logged).toEqual([['error', 'webhook secret invalid', { reason: expect.stringMatching(reason) }]]);
      if (key !== '') expect(JSON.stringify(log.logged)).not.toContain(key);
    },
  );

  it('may have 24 bytes', async () => {
    secret.text = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    expect(await verify(standardWebhooksRequest(BODY, { secret: secret.text }))).toEqual(AUTHENTIC);
  });
});
