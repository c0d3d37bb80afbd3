import { describe, expect, it } from 'vitest';
import type { WriteResult } from '../../../../lambdas/ports.ts';
import { createDrainMessage } from '../../../../lambdas/receive/drain-message.ts';
import { createReceiveEvents } from '../../../../lambdas/receive/receive-events.ts';
import { NOW } from '../../../support/builders.ts';
import { VERIFIED_AND_SMALL } from '../../../support/drain-options.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { recordingLog, silentMetrics } from '../../../support/telemetry.ts';

// The message and the opt-out are stored, and the table is available.
const UNCONFIRMED = {
  kind: 'unavailable',
  reason: 'The confirmation of the opt-out could not be queued: TimeoutError',
} as const;
const REQUEST = { rawBody: Buffer.from('{}'), receivedAt: NOW };

/** The ports of a stage whose send queue is unavailable. */
const ports = (inboundQueue: WriteResult) => ({
  storeEvents: async () => [UNCONFIRMED],
  inboundQueue: { defer: async () => inboundQueue, quarantine: async () => inboundQueue },
  log: recordingLog(),
  metrics: silentMetrics,
});
const { kind: _kind, ...details } = UNCONFIRMED;

describe('an event that waits only for the confirmation of its opt-out', () => {
  it('is logged as deferred, with the reason', async () => {
    const { log, ...others } = ports({ kind: 'written' });

    expect(await createReceiveEvents({ log, ...others })(REQUEST)).toBe('deferred');

    expect(log.logged).toEqual([['warn', 'event deferred to the inbound queue', details]]);
  });

  it('is logged as not acknowledged if the inbound queue is unavailable too', async () => {
    const { log, ...others } = ports({ kind: 'unavailable', reason: 'TimeoutError' });

    expect(await createReceiveEvents({ log, ...others })(REQUEST)).toBe('not-stored');

    const message = 'event not acknowledged: the inbound queue is unavailable; waiting for redelivery';
    expect(log.logged).toEqual([['error', message, details]]);
  });

  it('is logged as still deferred when it is retried', async () => {
    const { log, ...others } = ports({ kind: 'written' });
    const drain = createDrainMessage({
      ...others,
      ...VERIFIED_AND_SMALL,
      log,
      randomness: { random: () => 0.5, newId: () => 'id' },
      format: { envelope: undefined, readsPubsubHeaders: false },
    });
    const body = JSON.stringify({ receivedAt: NOW, encoding: 'utf8', rawBody: '{}' });

    expect(await drain(sqsRecord(body))).toMatchObject({ kind: 'retry' });

    expect(log.logged).toEqual([['warn', 'deferred event waits longer in the inbound queue', UNCONFIRMED]]);
  });
});
