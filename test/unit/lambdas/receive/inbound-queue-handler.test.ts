import { describe, expect, it } from 'vitest';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import { createInboundQueueHandler } from '../../../../lambdas/receive/inbound-queue-handler.ts';
import { NOW } from '../../../support/builders.ts';
import { VERIFIED_AND_SMALL } from '../../../support/drain-options.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { silentLog, silentMetrics } from '../../../support/telemetry.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_RECEIVES = 1_000;
const VISIBILITY_MS = 60_000;
const BODY = serializeRequest({ rawBody: Buffer.from('{}'), receivedAt: NOW }) ?? '';

/** What keeps an event from being stored or quarantined. */
const CAUSES = ['table', 'error', 'quarantine'] as const;
type Cause = (typeof CAUSES)[number];

/**
 * Drains an event as SQS delivers its message: when it is visible again, and a thousand times at most. Returns whether it
 * was stored, and when, since the start.
 */
const drainEvent = async (cause: Cause, outageMs: number) => {
  let nowMs = 0;
  let visibleAtMs = 0;
  const handler = createInboundQueueHandler({
    ...VERIFIED_AND_SMALL,
    async storeEvents() {
      if (nowMs >= outageMs) return [{ kind: 'stored', event: 'message', id: '1' }];
      if (cause === 'error') throw new Error('broken');
      if (cause === 'table') return [{ kind: 'unavailable', reason: 'TimeoutError' }];
      return [{ kind: 'unstorable', reason: 'Not a known event.' }];
    },
    inboundQueue: {
      defer: async () => ({ kind: 'written' }),
      quarantine: async () => ({ kind: 'unavailable', reason: 'TimeoutError' }),
    },
    async changeVisibility([change]) {
      visibleAtMs = nowMs + (change?.seconds ?? 0) * 1_000;
    },
    format: { envelope: undefined, readsPubsubHeaders: false },
    clock: { now: () => addMs(NOW, nowMs) },
    randomness: { newId: () => 'id', random: () => 0 },
    log: silentLog,
    metrics: silentMetrics,
  });
  for (let receives = 1; receives <= MAX_RECEIVES; receives += 1) {
    nowMs = Math.max(nowMs + 1, visibleAtMs);
    visibleAtMs = nowMs + VISIBILITY_MS;
    const Records = [sqsRecord(BODY, { ApproximateReceiveCount: String(receives) })];
    const { batchItemFailures } = await handler({ Records }, { getRemainingTimeInMillis: () => 60_000 });
    if (batchItemFailures.length === 0) return { isDone: true, endedAtMs: nowMs };
  }
  return { isDone: false, endedAtMs: nowMs };
};

describe.each(CAUSES)('an event that waits because of the %s', (cause) => {
  it.each([0.1, 1, 3, 24, 9 * 24, 14 * 24])(
    'is stored soon after %s hours of it: within a minute, or a hundredth of its age',
    async (hours) => {
      const outageMs = hours * HOUR_MS;
      const { isDone, endedAtMs } = await drainEvent(cause, outageMs);
      expect(isDone).toBe(true);
      expect(endedAtMs).toBeLessThanOrEqual(outageMs + Math.max(MINUTE_MS, Math.ceil(outageMs / 100)) + 1_000);
    },
  );
});
