import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createDynamodbContacts } from '../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbMessages } from '../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSends } from '../../../../lambdas/adapters/dynamodb/sends.ts';
import { serializeRequest } from '../../../../lambdas/domain/serialized-request.ts';
import type { Envelope, VerifiedRequest } from '../../../../lambdas/domain/webhook-request.ts';
import { createDrainMessage } from '../../../../lambdas/receive/drain-message.ts';
import { createReceiveEvents } from '../../../../lambdas/receive/receive-events.ts';
import { createStoreEvents } from '../../../../lambdas/receive/store-events.ts';
import { TIME_BUDGET } from '../../../../lambdas/receive/time-budget.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { createSimulatedTable, createTableState, type TableState } from '../../../simulation/world/table.ts';
import { NOW, PLAIN_RECEIVER } from '../../../support/builders.ts';
import { VERIFIED_AND_SMALL } from '../../../support/drain-options.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { recordingLog, recordingMetrics } from '../../../support/telemetry.ts';

interface ReceiverOptions {
  /** The table, which another process may share. */
  readonly state?: TableState;
  readonly envelope?: Envelope;
}

/** The function `receive` on a table in memory. Another process shares the table. */
export const createReceiver = ({ state = createTableState(), envelope }: ReceiverOptions = {}) => {
  const self = {
    state,
    nowMs: Date.parse(NOW),
    /** How long each write takes. */
    writeMs: 0,
    isTableAvailable: true,
    /** The partition keys of the items whose writes fail. */
    failing: new Set<string>(),
    /** The partition keys of all writes. */
    written: [] as string[],
    isQueueAvailable: true,
    isQuarantineAvailable: true,
    deferred: [] as string[],
    quarantined: [] as string[],
    metrics: recordingMetrics(),
    log: recordingLog(),
  };
  const clock = { now: () => new Date(self.nowMs).toISOString() };
  const table = createSimulatedTable(state, async (_label, perform, update) => {
    const pk = update?.key.pk ?? '';
    self.written.push(pk);
    self.nowMs += self.writeMs;
    if (!self.isTableAvailable || self.failing.has(pk)) throw new Error('throttled');
    return perform();
  });
  const storeEvents = createStoreEvents({
    ...PLAIN_RECEIVER,
    repositories: () => ({
      contacts: createDynamodbContacts(table, { readsHandovers: false }),
      messages: createDynamodbMessages(table, { gapClock: undefined }),
      sends: createDynamodbSends(table),
    }),
    clock,
    budgetMs: TIME_BUDGET.table,
    chatPlatform: 'chat',
    windowPer: 'user',
    chatChannelNumber: '+5491100000000',
  });
  const queue =
    (messages: string[], isAvailable: () => boolean) => async (request: VerifiedRequest, reason?: string) => {
      if (!isAvailable()) return { kind: 'unavailable', reason: 'TimeoutError' } as const;
      messages.push(serializeRequest(request, reason) ?? 'too large');
      return { kind: 'written' } as const;
    };
  const ports = {
    storeEvents,
    inboundQueue: {
      defer: queue(self.deferred, () => self.isQueueAvailable),
      quarantine: queue(self.quarantined, () => self.isQuarantineAvailable),
    },
    log: self.log,
    metrics: self.metrics,
  };
  const format = { envelope, readsPubsubHeaders: envelope === 'pubsub' };
  const handle = createWebhookHandler({
    verifier: { verify: async () => ({ kind: 'authentic' }) },
    format,
    receiveEvents: createReceiveEvents(ports),
    clock,
    log: self.log,
    metrics: self.metrics,
  });
  const drain = createDrainMessage({
    ...ports,
    ...VERIFIED_AND_SMALL,
    format,
    randomness: { newId: () => 'id', random: () => 0 },
  });
  return Object.assign(self, {
    async post(given: unknown, headers: Record<string, string> = {}): Promise<number | undefined> {
      const body = typeof given === 'string' ? given : JSON.stringify(given);
      // The handler reads nothing else of the event.
      const event = { headers, body, isBase64Encoded: false } as unknown as APIGatewayProxyEventV2;
      return (await handle(event)).statusCode;
    },
    drain: async (message = '') => (await drain(sqsRecord(message))).kind,
    ids: () => [...state.items.keys()].filter((name) => name.startsWith('MESSAGE#')).toSorted(),
    snapshot: () => new Map(state.items),
    counted: (name: string) => self.metrics.counted.filter((one) => one === name).length,
  });
};
export type Receiver = ReturnType<typeof createReceiver>;
