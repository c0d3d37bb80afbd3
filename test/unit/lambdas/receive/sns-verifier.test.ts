import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookVerifier } from '../../../../lambdas/ports.ts';
import { type HttpGetAnswer, UnexpectedAnswer } from '../../../../lambdas/receive/auth/http-get.ts';
import { createSnsVerifier } from '../../../../lambdas/receive/auth/sns-verifier.ts';
import { NOW } from '../../../support/builders.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';
import { CERTIFICATE_URL, signSns, snsConfirmation, snsNotification, snsPost, TOPIC } from './signed-posts.ts';
import { GOLDEN_AT, GOLDEN_CERTIFICATE, GOLDEN_VERSION_1, GOLDEN_VERSION_2 } from './sns-golden.ts';

const AUTHENTIC = { kind: 'authentic' };
const validFrom = new Date('2026-01-01T00:00:00Z');
const validTo = new Date('2027-01-01T00:00:00Z');
const { pem, privateKey } = selfSignedCertificate(validFrom, validTo);
const stranger = selfSignedCertificate(validFrom, validTo);

let nowMs: number;
let fetched: string[];
/** What stands at an address; the service's own hosts cannot be played by a local server. */
let documents: Map<string, string | Error>;
let verifier: WebhookVerifier;

const get = async (url: string): Promise<HttpGetAnswer> => {
  fetched.push(url);
  const document = documents.get(url) ?? new UnexpectedAnswer('no such document', 403);
  if (document instanceof Error) throw document;
  return { text: document, headers: new Headers() };
};
const verifierFor = (topicArn: string) =>
  createSnsVerifier(
    { kind: 'sns', topicArn },
    { get, clock: { now: () => new Date(nowMs).toISOString() }, fetchTimeoutMs: 400 },
  );

beforeEach(() => {
  nowMs = Date.parse(NOW);
  fetched = [];
  documents = new Map([[CERTIFICATE_URL, pem]]);
  verifier = verifierFor(TOPIC);
});
const verify = (post: Record<string, unknown>) => verifier.verify(snsPost(post));
const signed = (changes: Record<string, unknown> = {}) => signSns(snsNotification(changes), privateKey);

describe('a notification of Amazon SNS', () => {
  it.each([
    ['1', GOLDEN_VERSION_1],
    ['2', GOLDEN_VERSION_2],
  ])(
    'that the service itself signed, version %s, is authentic, and no field of it can be changed',
    async (_, golden) => {
      nowMs = Date.parse(GOLDEN_AT);
      documents.set(golden.SigningCertURL, GOLDEN_CERTIFICATE);
      verifier = verifierFor(golden.TopicArn);
      expect(await verify(golden)).toEqual(AUTHENTIC);
      for (const field of ['Message', 'MessageId', 'Timestamp'] as const) {
        expect(await verify({ ...golden, [field]: `${golden[field]} ` }), field).toEqual({
          kind: 'forged',
          reason: 'signature',
        });
      }
      expect(await verify({ ...golden, Subject: 'added' })).toMatchObject({ kind: 'forged' });
      const otherVersion = golden.SignatureVersion === '1' ? '2' : '1';
      expect(await verify({ ...golden, SignatureVersion: otherVersion })).toMatchObject({ kind: 'forged' });
    },
  );

  it.each([{}, { SignatureVersion: '1' }, { Subject: 'An event' }, { Message: 'ñ\n\\"' }])(
    'is authentic with %j',
    async (changes) => {
      expect(await verify(signed(changes))).toEqual(AUTHENTIC);
    },
  );

  it.each<[string, () => Record<string, unknown>, string]>([
    ['of another topic', () => signed({ TopicArn: `${TOPIC}-2` }), 'another topic'],
    ['signed with another key', () => signSns(snsNotification(), stranger.privateKey), 'signature'],
    ['with another message', () => ({ ...signed(), Message: '{"_id_":"message-2"}' }), 'signature'],
    ['with another time', () => ({ ...signed(), Timestamp: NOW }), 'signature'],
    [
      'made of a confirmation',
      () => ({ ...signSns(snsConfirmation(), privateKey), Type: 'Notification' }),
      'signature',
    ],
    ['without a signature', () => ({ ...signed(), Signature: undefined }), 'no post of Amazon SNS'],
    ['with an empty signature', () => ({ ...signed(), Signature: '' }), 'signature'],
    ['that chooses its own algorithm', () => signed({ SignatureVersion: '3' }), 'no post of Amazon SNS'],
    ['without a version', () => signed({ SignatureVersion: undefined }), 'no post of Amazon SNS'],
    ['of a type that we do not know', () => signed({ Type: 'Other' }), 'no post of Amazon SNS'],
    ['that is no object', () => ({}), 'no post of Amazon SNS'],
  ])('%s is forged', async (_case, post, reason) => {
    expect(await verify(post())).toEqual({ kind: 'forged', reason });
  });

  it.each([
    'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-00.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-00.pem',
    'https://evil.example/https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-00.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-00.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-00.pem',
    'https://s3.amazonaws.com/bucket/SimpleNotificationService-00.pem',
    'https://sns.eu-west-1.amazonaws.com/?Action=GetObject&file=SimpleNotificationService-00.pem',
    'https://sns.eu-west-1.amazonaws.com/../SimpleNotificationService-00.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-00.pem?x',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-00.pem\n',
  ])('with its certificate at %s is forged, and nothing is fetched', async (SigningCertURL) => {
    documents.set(SigningCertURL, pem);
    expect(await verify(signed({ SigningCertURL }))).toMatchObject({ kind: 'forged' });
    expect(fetched).toEqual([]);
  });
});

describe('the certificate', () => {
  it('is fetched once', async () => {
    await Promise.all([verify(signed()), verify(signed())]);
    await verify(signed());
    expect(fetched).toEqual([CERTIFICATE_URL]);
  });

  it('counts only in its time', async () => {
    for (const time of [validFrom.getTime() - 1000, validTo.getTime() + 1000]) {
      nowMs = time;
      expect(await verify(signed())).toEqual({ kind: 'forged', reason: 'certificate out of its time' });
    }
  });

  it('that the service does not have makes the post forged; one that cannot be had now leaves it undecided', async () => {
    documents.set(CERTIFICATE_URL, 'no certificate');
    expect(await verify(signed())).toEqual({ kind: 'forged', reason: 'no such certificate' });
    for (const trouble of [new TypeError('fetch failed'), new UnexpectedAnswer('', 503)]) {
      nowMs += 1000;
      documents.set(CERTIFICATE_URL, trouble);
      expect(await verify(signed())).toEqual({ kind: 'undecided', reason: 'ERR_CERTIFICATE_UNAVAILABLE' });
    }
    nowMs += 1000;
    documents.set(CERTIFICATE_URL, pem);
    expect(await verify(signed())).toEqual(AUTHENTIC);
  });

  it('is asked for at a bounded rate, and known ones are used on, however many forged posts name others', async () => {
    await verify(signed());
    for (let count = 1; count <= 100; count += 1) {
      nowMs += 100;
      const SigningCertURL = CERTIFICATE_URL.replace(/0+/, String(count));
      expect(await verify(signed({ SigningCertURL }))).not.toEqual(AUTHENTIC);
    }
    expect(fetched.length).toBeLessThanOrEqual(1 + 10);
    expect(await verify(signed())).toEqual(AUTHENTIC);
  });
});

describe('the subscription', () => {
  const confirmation = (changes: Record<string, unknown> = {}) => signSns(snsConfirmation(changes), privateKey);
  const SUBSCRIBE_URL = String(snsConfirmation().SubscribeURL);

  it('to the stage’s topic is confirmed, and there is no event in that', async () => {
    documents.set(SUBSCRIBE_URL, '<ConfirmSubscriptionResponse/>');
    expect(await verify(confirmation())).toMatchObject({ kind: 'handshake' });
    expect(fetched).toEqual([CERTIFICATE_URL, SUBSCRIBE_URL]);
  });

  it.each([
    ['to another topic', () => confirmation({ TopicArn: `${TOPIC}-2` })],
    ['that somebody else signed', () => signSns(snsConfirmation(), stranger.privateKey)],
    ['at another host', () => confirmation({ SubscribeURL: SUBSCRIBE_URL.replace('amazonaws.com', 'evil.example') })],
    ['by another action', () => confirmation({ SubscribeURL: SUBSCRIBE_URL.replace('Confirm', 'Delete') })],
    ['whose address names another topic', () => confirmation({ SubscribeURL: SUBSCRIBE_URL.replace(TOPIC, 'other') })],
    ['whose address names two topics', () => confirmation({ SubscribeURL: `${SUBSCRIBE_URL}&TopicArn=other` })],
    ['over plain http', () => confirmation({ SubscribeURL: SUBSCRIBE_URL.replace('https', 'http') })],
  ])('%s is not confirmed', async (_case, post) => {
    expect(await verify(post())).toMatchObject({ kind: 'forged' });
    expect(fetched.filter((url) => url !== CERTIFICATE_URL)).toEqual([]);
  });

  it('that cannot be confirmed now comes again', async () => {
    expect(await verify(confirmation())).toEqual({ kind: 'undecided', reason: 'ERR_SUBSCRIPTION_NOT_CONFIRMED' });
  });

  it('that was ended is told to a person: there is no event in that which we know', async () => {
    expect(await verify(confirmation({ Type: 'UnsubscribeConfirmation' }))).toEqual(AUTHENTIC);
  });
});
