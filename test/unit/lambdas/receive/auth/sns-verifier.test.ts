import { beforeEach, describe, expect, it } from 'vitest';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { WebhookVerifier } from '../../../../../lambdas/ports.ts';
import { type HttpGetAnswer, UnexpectedAnswerError } from '../../../../../lambdas/receive/auth/http-get.ts';
import { createSnsVerifier } from '../../../../../lambdas/receive/auth/sns-verifier.ts';
import { NOW } from '../../../../support/builders.ts';
import { selfSignedCertificate } from '../../../../support/self-signed-certificate.ts';
import {
  CERTIFICATE_URL,
  signSns,
  snsConfirmation,
  snsNotification,
  snsRequest,
  TOPIC,
} from '../../../../support/signed-requests.ts';
import { GOLDEN_AT, GOLDEN_CERTIFICATE, GOLDEN_VERSION_1, GOLDEN_VERSION_2 } from './sns-golden.ts';

const AUTHENTIC = { kind: 'authentic', payload: expect.any(Buffer) };
const validFrom = new Date('2026-01-01T00:00:00Z');
const validTo = new Date('2027-01-01T00:00:00Z');
const { pem, privateKey } = selfSignedCertificate(validFrom, validTo);

let nowMs: number;
let fetched: string[];
/** The document at each URL; a local server cannot stand in for the hosts of Amazon SNS. */
let documents: Map<string, string | Error>;
let verifier: WebhookVerifier;

const get = async (url: string): Promise<HttpGetAnswer> => {
  fetched.push(url);
  const document = documents.get(url) ?? new UnexpectedAnswerError('no such document', 404);
  if (document instanceof Error) throw document;
  return { text: document, headers: {} };
};
const verifierFor = (topicArn: string) =>
  createSnsVerifier(
    { kind: 'sns', topicArn },
    { get, clock: { now: () => new Date(nowMs).toISOString() }, fetchTimeoutMs: ms(400) },
  );

beforeEach(() => {
  nowMs = Date.parse(NOW);
  fetched = [];
  documents = new Map([[CERTIFICATE_URL, pem]]);
  verifier = verifierFor(TOPIC);
});
const verify = (message: Record<string, unknown>) =>
  verifier.verify({ ...snsRequest(message), receivedAt: new Date(nowMs).toISOString() });
const signed = (changes: Record<string, unknown> = {}) => signSns(snsNotification(changes), privateKey);

// What an attacker may try is in ../attacks.
describe('a notification from Amazon SNS', () => {
  it.each([
    ['1', GOLDEN_VERSION_1],
    ['2', GOLDEN_VERSION_2],
  ])('signed by the service itself, version %s, is authentic, and no field can be changed', async (_, golden) => {
    nowMs = Date.parse(GOLDEN_AT);
    documents.set(golden.SigningCertURL, GOLDEN_CERTIFICATE);
    verifier = verifierFor(golden.TopicArn);
    expect(await verify(golden)).toEqual(AUTHENTIC);
    for (const field of ['Message', 'MessageId', 'Timestamp'] as const) {
      expect(await verify({ ...golden, [field]: `${golden[field]} ` }), field).toEqual({
        kind: 'unauthenticated',
        reason: 'invalid signature',
      });
    }
    expect(await verify({ ...golden, Subject: 'added' })).toMatchObject({ kind: 'unauthenticated' });
    const otherVersion = golden.SignatureVersion === '1' ? '2' : '1';
    expect(await verify({ ...golden, SignatureVersion: otherVersion })).toMatchObject({ kind: 'unauthenticated' });
  });

  it.each([{}, { SignatureVersion: '1' }, { Subject: 'An event' }, { Message: 'ñ\n\\"' }])(
    'is authentic with %j',
    async (changes) => {
      expect(await verify(signed(changes))).toEqual(AUTHENTIC);
    },
  );

  it('passes on only the signed fields', async () => {
    const message = signed({ Subject: 'An event' });
    const verdict = await verify({ ...message, message: { data: 'unsigned' }, _id_: 'unsigned' });
    const payload = verdict.kind === 'authentic' ? String(verdict.payload) : '';
    const { Message, MessageId, Subject, Timestamp, TopicArn, Type } = message;
    expect(JSON.parse(payload)).toEqual({ Message, MessageId, Subject, Timestamp, TopicArn, Type });
  });
});

describe('the signing certificate', () => {
  it('is fetched once', async () => {
    await Promise.all([verify(signed()), verify(signed())]);
    await verify(signed());
    expect(fetched).toEqual([CERTIFICATE_URL]);
  });

  it('is accepted only while it is valid', async () => {
    for (const time of [validFrom.getTime() - 1000, validTo.getTime() + 1000]) {
      nowMs = time;
      expect(await verify(signed())).toEqual({
        kind: 'unauthenticated',
        reason: 'certificate expired or not yet valid',
      });
    }
  });

  it.each([
    ['does not exist', new UnexpectedAnswerError('', 404)],
    ['exists no longer', new UnexpectedAnswerError('', 410)],
  ])('makes the message unauthenticated when it %s, and is not fetched again for a minute', async (_case, answer) => {
    documents.set(CERTIFICATE_URL, answer);
    for (const advanceMs of [0, 1000, 58_999]) {
      nowMs += advanceMs;
      expect(await verify(signed())).toEqual({ kind: 'unauthenticated', reason: 'no such certificate' });
    }
    expect(fetched).toHaveLength(1);
    nowMs += 1;
    documents.set(CERTIFICATE_URL, pem);
    expect(await verify(signed())).toEqual(AUTHENTIC);
  });

  it.each([
    ['does not answer', new TypeError('fetch failed')],
    ['fails', new UnexpectedAnswerError('', 503)],
    ['is throttling', new UnexpectedAnswerError('', 429)],
    ['is blocking a flood', new UnexpectedAnswerError('', 403)],
    ['redirects', new UnexpectedAnswerError('', 302)],
    ['answers with something else', 'not a certificate'],
  ])('leaves the message unverified while Amazon SNS %s, and is fetched once per second', async (_case, answer) => {
    documents.set(CERTIFICATE_URL, answer);
    for (const advanceMs of [0, 999, 1]) {
      nowMs += advanceMs;
      expect(await verify(signed())).toEqual({ kind: 'unavailable', reason: 'ERR_CERTIFICATE_UNAVAILABLE' });
    }
    expect(fetched).toHaveLength(2);
    nowMs += 1000;
    documents.set(CERTIFICATE_URL, pem);
    expect(await verify(signed())).toEqual(AUTHENTIC);
  });

  it('stays cached while messages name a thousand other addresses, whose failures are forgotten in turn', async () => {
    await verify(signed());
    const naming = (address: number) =>
      verify(signed({ SigningCertURL: CERTIFICATE_URL.replace(/0+/, String(address)) }));
    for (let address = 1; address <= 1_000; address += 1) await naming(address);
    await naming(1);
    expect(fetched).toHaveLength(1 + 1_000);
    await naming(1_001);
    await naming(1);
    await naming(1_001);
    expect(fetched).toHaveLength(1 + 1_000 + 2);
    expect(await verify(signed())).toEqual(AUTHENTIC);
    expect(fetched).toHaveLength(1 + 1_000 + 2);
  });

  it.each([
    ['arn:aws:sns:eu-west-1:111122223333:chat-events', 'sns.eu-west-1.amazonaws.com'],
    ['arn:aws-us-gov:sns:us-gov-west-1:111122223333:chat-events', 'sns.us-gov-west-1.amazonaws.com'],
    ['arn:aws-cn:sns:cn-north-1:111122223333:chat-events', 'sns.cn-north-1.amazonaws.com.cn'],
  ])('of the topic %s is fetched from %s only', async (topicArn, host) => {
    verifier = verifierFor(topicArn);
    const hosts = ['sns.eu-west-1.amazonaws.com', 'sns.us-gov-west-1.amazonaws.com', 'sns.cn-north-1.amazonaws.com.cn'];
    const verdicts: Record<string, string> = {};
    for (const each of [...hosts, 'sns.us-east-1.amazonaws.com', 'sns.cn-north-1.amazonaws.com']) {
      const SigningCertURL = `https://${each}/SimpleNotificationService-${'0'.repeat(32)}.pem`;
      documents.set(SigningCertURL, pem);
      verdicts[each] = (await verify(signed({ TopicArn: topicArn, SigningCertURL }))).kind;
    }
    expect(Object.keys(verdicts).filter((each) => verdicts[each] === 'authentic')).toEqual([host]);
    expect(fetched.map((url) => new URL(url).host)).toEqual([host]);
  });
});

describe('a subscription confirmation', () => {
  const confirmation = (changes: Record<string, unknown> = {}) => signSns(snsConfirmation(changes), privateKey);
  const SUBSCRIBE_URL = String(snsConfirmation().SubscribeURL);

  it('for the configured topic is confirmed and carries no event', async () => {
    documents.set(SUBSCRIBE_URL, '<ConfirmSubscriptionResponse/>');
    expect(await verify(confirmation())).toMatchObject({ kind: 'handshake' });
    expect(fetched).toEqual([CERTIFICATE_URL, SUBSCRIBE_URL]);
  });

  it('is left to redelivery when it cannot be confirmed now', async () => {
    expect(await verify(confirmation())).toEqual({ kind: 'unavailable', reason: 'ERR_SUBSCRIPTION_NOT_CONFIRMED' });
  });

  it('of an unsubscription is reported, and its SubscribeURL, which would subscribe again, is not fetched', async () => {
    documents.set(SUBSCRIBE_URL, '<ConfirmSubscriptionResponse/>');
    expect(await verify(confirmation({ Type: 'UnsubscribeConfirmation' }))).toEqual({
      kind: 'unsubscribed',
      reason: 'the topic no longer delivers events to this webhook',
    });
    expect(fetched).toEqual([CERTIFICATE_URL]);
  });
});

describe('a request from the inbound queue whose certificate cannot be fetched', () => {
  const HOUR_MS = 60 * 60_000;
  const UNAVAILABLE = { kind: 'unavailable', reason: 'ERR_CERTIFICATE_UNAVAILABLE' };
  const OTHER_URL = CERTIFICATE_URL.replace(/0+/, 'abc');
  const waiting = () => verifier.verify({ ...snsRequest(signed({ SigningCertURL: OTHER_URL })), receivedAt: NOW });
  beforeEach(() => documents.set(OTHER_URL, new Error('unreachable')));

  it('is fetched again after pauses that double, up to an hour', async () => {
    const times: number[] = [];
    for (let second = 0; second <= 3 * 3_600; second += 1) {
      nowMs = Date.parse(NOW) + second * 1_000;
      const before = fetched.length;
      expect(await waiting()).toEqual(UNAVAILABLE);
      if (fetched.length > before) times.push(second);
    }
    expect(times).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 7_696]);
  });

  it('waits for a day and longer while no other one is verified, and is then not authentic', async () => {
    expect(await verify(signed())).toEqual(AUTHENTIC);
    nowMs += 30 * HOUR_MS;
    expect(await waiting()).toEqual(UNAVAILABLE);
    expect(await verify(signed())).toEqual(AUTHENTIC);
    expect(await waiting()).toEqual({ kind: 'unauthenticated', reason: 'no such certificate' });
  });

  it('waits for a day even if others are verified', async () => {
    nowMs += HOUR_MS;
    expect(await verify(signed())).toEqual(AUTHENTIC);
    nowMs += 22 * HOUR_MS;
    expect(await waiting()).toEqual(UNAVAILABLE);
  });
});
