import { describe, expect, it } from 'vitest';
import { bufferedText } from '../../../../lambdas/domain/buffered-request.ts';
import { serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import type { Envelope, VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import type { UnverifiedRequest, Verdict, WebhookVerifier, WriteResult } from '../../../../lambdas/ports.ts';
import { createDrainMessage } from '../../../../lambdas/receive/drain-message.ts';
import type { StoreResult } from '../../../../lambdas/receive/store-events.ts';
import { createVerifyRequest } from '../../../../lambdas/receive/verify-request.ts';
import { NOW, wireMessage } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { recordingMetrics, silentLog } from '../../../support/telemetry.ts';

const REQUEST: VerifiedRequest = {
  rawBody: Buffer.from('{}'),
  receivedAt: NOW,
  chatChannelNumber: '5491100000000',
};
const serialized = (...given: Parameters<typeof serializeRequest>) => serializeRequest(...given) ?? '';
const STORED: StoreResult = { kind: 'stored', event: 'message', id: '1' };
const TABLE_UNAVAILABLE: StoreResult = { kind: 'unavailable', reason: 'TimeoutError' };
const UNSTORABLE = { kind: 'unstorable', reason: 'Not a known event.', deliveryId: '77' } satisfies StoreResult;
const WRITTEN: WriteResult = { kind: 'written' };

interface Situation {
  readonly stored?: StoreResult;
  readonly quarantine?: WriteResult;
  readonly receiveCount?: number;
  /** The stage's. */
  readonly envelope?: Envelope;
  /** The verdict on buffered requests. */
  readonly verdict?: Verdict;
}

/** Drains a message, where everything works except what the test says. Returns the result and what was done. */
const drain = async (body: string, situation: Situation = {}) => {
  const { stored = STORED, quarantine = WRITTEN, receiveCount = 1, envelope } = situation;
  const requests: VerifiedRequest[] = [];
  const quarantined: [VerifiedRequest, string][] = [];
  const asTheyAre: [string, string][] = [];
  const metrics = recordingMetrics();
  const { verdict } = situation;
  const unverified: UnverifiedRequest[] = [];
  const verifier: WebhookVerifier = {
    async verify(request) {
      unverified.push(request);
      return verdict ?? { kind: 'authentic' };
    },
  };
  const format = { envelope, readsPubsubHeaders: true };
  const drainMessage = createDrainMessage({
    storeEvents: async (request) => {
      requests.push(request);
      return [stored];
    },
    inboundQueue: {
      defer: async () => WRITTEN,
      quarantine: async (request, reason) => {
        quarantined.push([request, reason]);
        return quarantine;
      },
    },
    format,
    verifyRequest: createVerifyRequest({ verifier, format, log: silentLog, metrics }),
    quarantineMessage: async (message, reason) => {
      asTheyAre.push([message, reason]);
      return WRITTEN;
    },
    randomness: { newId: () => 'id', random: () => 0.999 },
    log: silentLog,
    metrics,
  });
  const result = await drainMessage(sqsRecord(body, { ApproximateReceiveCount: String(receiveCount) }));
  return { result, requests, quarantined, asTheyAre, unverified, counted: metrics.counted };
};

describe('a deferred request', () => {
  it('is stored exactly as received, with the number of its path', async () => {
    const { result, requests, counted } = await drain(serialized(REQUEST));
    expect([result, counted]).toEqual([{ kind: 'done' }, ['EventStored']]);
    expect(requests).toEqual([REQUEST]);
  });

  it.each([
    [1, 1_000],
    [3, 4_000],
    [50, 60_000],
  ])('waits at receive %d, while the table is unavailable, about %d ms and at most a minute', async (count, ms) => {
    const { result } = await drain(serialized(REQUEST), { stored: TABLE_UNAVAILABLE, receiveCount: count });
    expect(result).toEqual({ kind: 'retry', afterMs: expect.closeTo(ms, -1) });
  });

  it('is quarantined when it is not a known event, with the delivery id from its envelope', async () => {
    const { result, quarantined, counted } = await drain(serialized(REQUEST), { stored: UNSTORABLE });
    expect([result, counted]).toEqual([{ kind: 'done' }, ['EventQuarantined']]);
    expect(quarantined).toEqual([[{ ...REQUEST, deliveryId: '77' }, UNSTORABLE.reason]]);
  });

  it('is retried when it can be neither stored nor quarantined', async () => {
    const quarantine: WriteResult = { kind: 'unavailable', reason: 'TimeoutError' };
    const { result, counted } = await drain(serialized(REQUEST), { stored: UNSTORABLE, quarantine });
    expect(result).toEqual({ kind: 'retry', afterMs: expect.closeTo(1_000, -1) });
    expect(counted).toEqual([]);
  });
});

describe('a queue message that is not a webhook request', () => {
  it('is quarantined unchanged, and never parsed as an event', async () => {
    const { result, requests, quarantined } = await drain('hello');
    expect([result, requests]).toEqual([{ kind: 'done' }, []]);
    expect(quarantined).toEqual([
      [{ rawBody: Buffer.from('hello'), receivedAt: NOW }, 'The queue message is not a webhook request.'],
    ]);
  });
});

describe('a buffered request', () => {
  const BUFFERED = bufferedText({
    requestId: Buffer.from('id-1').toString('base64'),
    receivedAtMs: String(Date.parse(NOW) - 3_600_000),
    chatChannelNumber: Buffer.from('5491100000000').toString('base64'),
    headers: '',
    body: Buffer.from('{"_id_":"1"}').toString('base64'),
  });
  const ARRIVED = '2026-11-20T11:00:00.000Z';

  it('is verified and stored as it was when it arrived', async () => {
    const { result, requests, unverified, counted } = await drain(BUFFERED, { verdict: { kind: 'authentic' } });
    expect(unverified).toMatchObject([{ unverifiedBody: Buffer.from('{"_id_":"1"}'), receivedAt: ARRIVED }]);
    expect(requests).toMatchObject([
      { rawBody: Buffer.from('{"_id_":"1"}'), receivedAt: ARRIVED, chatChannelNumber: '5491100000000' },
    ]);
    expect([result, counted]).toEqual([{ kind: 'done' }, ['EventStored']]);
  });

  it('is retried itself while the table is unavailable', async () => {
    const { result, quarantined } = await drain(BUFFERED, {
      verdict: { kind: 'authentic' },
      stored: TABLE_UNAVAILABLE,
    });
    expect([result, quarantined]).toEqual([{ kind: 'retry', afterMs: expect.closeTo(1_000, -1) }, []]);
  });

  it.each([
    [
      'waits while it cannot be verified',
      { kind: 'unavailable', reason: 'ERR_SECRET_UNAVAILABLE' },
      'retry',
      ['WebhookVerificationUnavailable'],
    ],
    [
      'waits until newer secrets decide',
      { kind: 'unauthenticated', reason: 'wrong token', isProvisional: true },
      'retry',
      [],
    ],
    [
      'is dropped when it is not authentic',
      { kind: 'unauthenticated', reason: 'wrong token' },
      'done',
      ['WebhookUnauthenticated'],
    ],
    ['is done when it was a handshake', { kind: 'handshake', reason: 'confirmed' }, 'done', ['WebhookHandshake']],
    [
      'is done when it ends the subscription',
      { kind: 'unsubscribed', reason: 'ended' },
      'done',
      ['WebhookUnsubscribed'],
    ],
  ] as const)('%s, and is not stored or quarantined', async (_name, verdict, kind, metrics) => {
    const { result, requests, quarantined, counted } = await drain(BUFFERED, { verdict });
    expect([result.kind, requests, quarantined, counted]).toEqual([kind, [], [], metrics]);
  });

  it('is counted as a likely event if it looks like one, although it is dropped', async () => {
    const event = bufferedText({
      requestId: Buffer.from('id-2').toString('base64'),
      receivedAtMs: String(Date.parse(NOW)),
      chatChannelNumber: '',
      headers: '',
      body: Buffer.from(JSON.stringify(wireMessage())).toString('base64'),
    });
    const { counted } = await drain(event, { verdict: { kind: 'unauthenticated', reason: 'wrong token' } });
    expect(counted).toEqual(['WebhookUnauthenticated', 'LikelyEventRefused']);
  });

  it.each([
    [1, 10_000],
    [50, 60_000],
  ])('waits at receive %d for newer secrets for about %d ms', async (receiveCount, ms) => {
    const verdict: Verdict = { kind: 'unauthenticated', reason: 'wrong token', isProvisional: true };
    const { result } = await drain(BUFFERED, { verdict, receiveCount });
    expect(result).toEqual({ kind: 'retry', afterMs: expect.closeTo(ms, -2) });
  });

  it('is quarantined as it is, and counted once, if it fits in no other form', async () => {
    const quarantine: WriteResult = { kind: 'refused', reason: 'The request is too large for the queue.' };
    const situation = { verdict: { kind: 'authentic' }, stored: UNSTORABLE, quarantine } as const;
    const { result, asTheyAre, counted } = await drain(BUFFERED, situation);
    expect([result, counted]).toEqual([{ kind: 'done' }, ['EventQuarantined']]);
    expect(asTheyAre).toEqual([[BUFFERED, UNSTORABLE.reason]]);
  });

  it('is quarantined as unverified if it cannot be read', async () => {
    const { result, requests, quarantined } = await drain(BUFFERED.replace('"body":', '"nobody":'));
    expect([result, requests]).toEqual([{ kind: 'done' }, []]);
    expect(quarantined).toMatchObject([[{ receivedAt: NOW }, expect.stringMatching(/^unverified: /)]]);
  });

  it('is verified when it is redriven although it was quarantined as a message of unknown origin', async () => {
    const wrapped = serialized({ rawBody: Buffer.from(BUFFERED), receivedAt: NOW }, 'not a webhook request');
    const { requests, unverified } = await drain(wrapped, { verdict: { kind: 'authentic' } });
    expect(unverified).toHaveLength(1);
    expect(requests).toMatchObject([{ rawBody: Buffer.from('{"_id_":"1"}') }]);
    const dropped = await drain(wrapped, { verdict: { kind: 'unauthenticated', reason: 'wrong token' } });
    expect([dropped.result, dropped.requests]).toEqual([{ kind: 'done' }, []]);
  });

  it('does not change how a verified request is handled', async () => {
    const { requests, unverified } = await drain(serialized(REQUEST), {
      verdict: { kind: 'unavailable', reason: 'x' },
    });
    expect([requests, unverified]).toEqual([[REQUEST], []]);
  });
});
