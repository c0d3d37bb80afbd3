import { describe, expect, it } from 'vitest';
import { serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import type { Envelope, VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import type { WriteResult } from '../../../../lambdas/ports.ts';
import { createDrainMessage } from '../../../../lambdas/receive/drain-message.ts';
import type { StoreResult } from '../../../../lambdas/receive/store-events.ts';
import { NOW } from '../../../support/builders.ts';
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
}

/** Drains a message, where everything works except what the test says. Returns the result and what was done. */
const drain = async (body: string, situation: Situation = {}) => {
  const { stored = STORED, quarantine = WRITTEN, receiveCount = 1, envelope } = situation;
  const requests: VerifiedRequest[] = [];
  const quarantined: [VerifiedRequest, string][] = [];
  const metrics = recordingMetrics();
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
    format: { envelope, readsPubsubHeaders: true },
    randomness: { newId: () => 'id', random: () => 0.999 },
    log: silentLog,
    metrics,
  });
  const result = await drainMessage(sqsRecord(body, { ApproximateReceiveCount: String(receiveCount) }));
  return { result, requests, quarantined, counted: metrics.counted };
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
    const { result } = await drain(serialized(REQUEST), { stored: UNSTORABLE, quarantine });
    expect(result).toEqual({ kind: 'retry', afterMs: expect.closeTo(1_000, -1) });
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
