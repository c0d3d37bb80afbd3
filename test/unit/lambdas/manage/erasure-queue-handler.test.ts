import { describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import type { ErasureRecord } from '../../../../lambdas/domain/erasure.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { createErasureQueueHandler } from '../../../../lambdas/manage/erasure-queue-handler.ts';
import type { ErasableItem, ErasureRepository } from '../../../../lambdas/ports.ts';
import { NOW, USER } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { silentLog, silentMetrics } from '../../../support/telemetry.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_RECEIVES = 1_000;

/** What keeps an erasure from being done. */
const CAUSES = ['table', 'scheduler', 'busy send', 'unread dead letters', 'short passes'] as const;
type Cause = (typeof CAUSES)[number];

const SEND: ErasableItem = { kind: 'send', id: 'request-1', isScheduled: true };
const BODY = JSON.stringify({
  erasureId: 'erasure-1',
  requestedAt: NOW,
  contact: contactRef('chat', USER),
  platform: 'chat',
  customers: [],
  otherCustomers: [],
});

/**
 * Runs the erasure of a contact with a scheduled send as SQS delivers its message: when it is visible again, and a
 * thousand times at most. Returns when and how it ended, since the start.
 */
const runErasure = async (cause: Cause, outageMs: number, random: () => number) => {
  let nowMs = 0;
  const isCause = (one: Cause): boolean => one === cause && nowMs < outageMs;
  const failIf = async (one: Cause): Promise<void> => {
    if (isCause(one)) throw new Error('unavailable');
  };
  let isErased = false;
  let record: ErasureRecord = {
    ...{ erasureId: 'erasure-1', requestedAt: NOW, state: 'running', passes: 0 },
    ...{ messages: 0, sends: 0, deadLetters: 0 },
  };
  const erasures: ErasureRepository = {
    start: () => failIf('table'),
    read: async () => record,
    contactsOf: async (contact) => [contact],
    channelsOf: async () => ['*'],
    customersOf: async () => ({ user: [], named: [] }),
    addressesOf: async () => ({ own: [], earlier: [], separated: [], isShared: false }),
    isShared: async () => false,
    leaveCustomer: async () => undefined,
    endOpenTurn: async () => undefined,
    removeContact: async () => {},
    forgetOtherCustomers: async () => {},
    async listItems() {
      if (!isCause('short passes')) return { items: isErased ? [] : [SEND], customers: [] };
      nowMs += 20_000;
      // With an item, because a pass that finds none continues.
      return { items: [{ kind: 'message', id: 'gone' }], customers: [], next: {} };
    },
    async erase(_subject, item) {
      if (item !== SEND) return 'gone';
      if (isCause('busy send')) return 'busy';
      isErased = true;
      return 'erased';
    },
    eraseKeptDeadLetters: async () => ({ erased: 0, isComplete: true }),
    async recordPass(_before, { finishedAt }) {
      record = { ...record, passes: record.passes + 1, ...(finishedAt !== undefined && { state: 'done', finishedAt }) };
    },
  };
  let visibleAtMs = 0;
  const handler = createErasureQueueHandler({
    erasures,
    scheduler: { cancel: () => failIf('scheduler') },
    queuedDeadLetters: { remove: async () => ({ removed: 0, isComplete: !isCause('unread dead letters') }) },
    async changeVisibility([change]) {
      visibleAtMs = nowMs + (change?.seconds ?? 0) * 1_000;
    },
    clock: { now: () => addMs(NOW, nowMs) },
    randomness: { random },
    log: silentLog,
    metrics: silentMetrics,
  });
  for (let receives = 1; receives <= MAX_RECEIVES; receives += 1) {
    nowMs = Math.max(nowMs + 1, visibleAtMs);
    const Records = [sqsRecord(BODY, { ApproximateReceiveCount: String(receives) })];
    const { batchItemFailures } = await handler({ Records }, { getRemainingTimeInMillis: () => 60_000 });
    if (batchItemFailures.length === 0) return { isDone: record.state === 'done', endedAtMs: nowMs, visibleAtMs };
  }
  return { isDone: false, endedAtMs: visibleAtMs };
};

describe.each(CAUSES)('an erasure that waits because of the %s', (cause) => {
  it.each([0.1, 3, 24, 9 * 24, 10 * 24])('is done within an hour after %s hours of it', async (hours) => {
    for (const fraction of [0, 0.999]) {
      const { isDone, endedAtMs } = await runErasure(cause, hours * HOUR_MS, () => fraction);
      expect(isDone).toBe(true);
      expect(endedAtMs).toBeLessThan((hours + 1) * HOUR_MS);
    }
  });

  it('is received for at least ten days before SQS dead-letters it', async () => {
    const { isDone, endedAtMs } = await runErasure(cause, 30 * DAY_MS, () => 0);
    expect(isDone).toBe(false);
    expect(endedAtMs).toBeGreaterThanOrEqual(10 * DAY_MS);
  });

  it('is not retried at the same time as another that has waited as long', async () => {
    const ends = await Promise.all(
      [0.1, 0.9].map(async (fraction) => (await runErasure(cause, 3 * HOUR_MS, () => fraction)).endedAtMs),
    );
    const [first = 0, second = 0] = ends;
    expect(Math.abs(first - second)).toBeGreaterThan(10_000);
  });
});
