import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { AddressedRequest } from '../../lambdas/domain/addressed-request.ts';
import { contactKey, messageGroup } from '../../lambdas/domain/contact.ts';
import { childSpan, startTrace, TRACEPARENT, type Traceparent } from '../../lambdas/domain/trace-context.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { Pacer } from '../operations/pacer.ts';
import type { NumberedRequest } from './forecast.ts';

export interface QueueRowsSettings {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly broadcastId: string;
  readonly stop: AbortSignal;
  /** @default as fast as SQS accepts them */
  readonly pace?: { readonly rowsPerSecond: number; readonly pacer: Pacer };
  /** Called after each chunk of requests. */
  readonly onQueued: (queued: number) => void;
}

/** Requests between two looks at whether the command was stopped. */
const CHUNK = 200;

/** Queues requests until the last one or until stopped. Returns how many it queued. */
export const queueRows = async (
  settings: QueueRowsSettings,
  requests: AsyncIterable<NumberedRequest>,
): Promise<number> => {
  const { pace, stop, onQueued, broadcastId } = settings;
  // Derived, so that a continued broadcast goes on in the same trace.
  const target = { ...settings, trace: startTrace('broadcast', broadcastId) };
  const size = Math.min(CHUNK, pace?.rowsPerSecond ?? CHUNK);
  let queued = 0;
  let chunk: AddressedRequest[] = [];
  const flush = async () => {
    // Rejects if stopped, before anything of the chunk is queued.
    await pace?.pacer.waitForSlot(stop).catch((error: unknown) => {
      if (!stop.aborted) throw error;
    });
    if (stop.aborted) return;
    pace?.pacer.use(chunk.length);
    await putRequests(target, chunk);
    queued += chunk.length;
    onQueued(queued);
    chunk = [];
  };
  for await (const { request } of requests) {
    if (stop.aborted) return queued;
    chunk.push(request);
    if (chunk.length === size) await flush();
  }
  if (chunk.length > 0) await flush();
  return queued;
};

const WORKERS = 8;
/** SQS accepts up to 10 messages and 1 MiB per batch. */
const BATCH_MESSAGES = 10;
const BATCH_BYTES = 900_000;
const MAX_ATTEMPTS = 6;

interface PutTarget {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  /** The trace of the whole broadcast, in which each request has its own span. */
  readonly trace: Traceparent;
}

/** A request as it is put on the queue. */
interface Entry {
  readonly requestId: string;
  /** All spellings of a contact have the same group, which keeps the order of its requests. */
  readonly group: string;
  /** The consumer compares bodies, and the management API serializes requests in this way too. */
  readonly body: string;
}

/** Puts requests on the queue concurrently. One worker handles all requests of a contact, which keeps their order. */
const putRequests = async (target: PutTarget, requests: readonly AddressedRequest[]): Promise<void> => {
  const entries = requests.map((request) => ({
    requestId: request.requestId,
    group: messageGroup(contactKey(request.platformContactId)),
    body: JSON.stringify(request),
  }));
  const workers = Map.groupBy(entries, ({ group }) => workerOf(group));
  await Promise.all(
    [...workers.values()].map(async (work) => {
      for (const batch of batchesOf(work)) await putBatch(target, batch);
    }),
  );
};

const workerOf = (group: string): number => (createHash('sha256').update(group).digest()[0] ?? 0) % WORKERS;

function* batchesOf(requests: readonly Entry[]): Generator<Entry[]> {
  let batch: Entry[] = [];
  let bytes = 0;
  for (const request of requests) {
    const size = Buffer.byteLength(request.body);
    if (batch.length === BATCH_MESSAGES || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(request);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Puts a batch on the queue, and retries the entries that fail. */
const putBatch = async ({ sqs, queueUrl, trace }: PutTarget, batch: readonly Entry[]): Promise<void> => {
  let left = batch;
  let reason = '';
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await pause(100 * 2 ** attempt);
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: left.map(({ body, group, requestId }, index) => ({
          Id: String(index),
          MessageBody: body,
          MessageGroupId: group,
          MessageDeduplicationId: requestId,
          MessageAttributes: {
            [TRACEPARENT]: { DataType: 'String', StringValue: childSpan(trace, requestId) },
          },
        })),
      }),
    );
    if (Failed.length === 0) return;
    const failed = new Set(Failed.map(({ Id }) => Id));
    reason = `${Failed[0]?.Code}: ${Failed[0]?.Message}`;
    left = left.filter((_, index) => failed.has(String(index)));
  }
  throw new CliError(
    EXIT.failed,
    `SQS did not accept request ${left[0]?.requestId} (${reason}). Fix the cause and run the command again to continue.`,
  );
};
