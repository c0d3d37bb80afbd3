import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { messageGroup } from '../../lambdas/domain/contact.ts';
import { childSpan, startTrace, TRACEPARENT, type Traceparent } from '../../lambdas/domain/trace-context.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { Pacer } from '../operations/pacer.ts';
import { type CsvFile, csvRows, type NumberedRow } from './csv-rows.ts';
import { requestIdOf } from './plan.ts';
import { recordRefusal } from './refused-rows.ts';
import type { BroadcastState } from './state-file.ts';
import { createRequest, type MessageTemplate, type RowRequest } from './template.ts';

export interface QueueRowsSettings {
  readonly csv: CsvFile;
  readonly template: MessageTemplate;
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly stop: AbortSignal;
  /** @default as fast as SQS accepts them */
  readonly pace?: { readonly rowsPerSecond: number; readonly pacer: Pacer };
  /** Saves the state after each chunk of rows. */
  readonly save: (state: BroadcastState) => Promise<void>;
}

/** Rows between two saves of the state. */
const CHUNK_ROWS = 200;

/** Queues the rows that `start` does not cover yet, until the end of the file or until stopped. */
export const queueRows = async (settings: QueueRowsSettings, start: BroadcastState): Promise<BroadcastState> => {
  let state = start;
  let chunk: NumberedRow[] = [];
  const { pace, stop } = settings;
  const chunkRows = Math.min(CHUNK_ROWS, pace?.rowsPerSecond ?? CHUNK_ROWS);
  const flush = async () => {
    // Rejects if stopped, before anything of the chunk is queued.
    await pace?.pacer.waitForSlot(stop).catch((error: unknown) => {
      if (!stop.aborted) throw error;
    });
    if (stop.aborted) return;
    pace?.pacer.use(chunk.length);
    state = await queueChunk(settings, state, chunk);
    await settings.save(state);
    chunk = [];
  };
  for await (const row of csvRows(settings.csv)) {
    if (stop.aborted) return state;
    if (row.number <= start.done) continue;
    chunk.push(row);
    if (chunk.length === chunkRows) await flush();
  }
  if (chunk.length > 0) await flush();
  return state;
};

type SendableRequest = Extract<RowRequest, { kind: 'request' }>;

const queueChunk = async (
  { template, sqs, queueUrl }: QueueRowsSettings,
  state: BroadcastState,
  rows: readonly NumberedRow[],
): Promise<BroadcastState> => {
  const refused = structuredClone(state.refused);
  const requests: SendableRequest[] = [];
  for (const { number, row } of rows) {
    const request = createRequest(template, row, requestIdOf(state.requestPrefix, number));
    if (request.kind === 'request') requests.push(request);
    else recordRefusal(refused, request.why, number);
  }
  // Derived, so that a continued broadcast goes on in the same trace.
  await putRequests({ sqs, queueUrl, trace: startTrace('broadcast', state.broadcastId) }, requests);
  return { ...state, done: state.done + rows.length, queued: state.queued + requests.length, refused };
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

/** Puts requests on the queue concurrently. One worker handles all requests of a contact, which keeps their order. */
const putRequests = async (target: PutTarget, requests: readonly SendableRequest[]): Promise<void> => {
  const workers = Map.groupBy(requests, ({ contact }) => workerOf(contact));
  await Promise.all(
    [...workers.values()].map(async (work) => {
      for (const batch of batchesOf(work)) await putBatch(target, batch);
    }),
  );
};

const workerOf = (contact: string): number => (createHash('sha256').update(contact).digest()[0] ?? 0) % WORKERS;

function* batchesOf(requests: readonly SendableRequest[]): Generator<SendableRequest[]> {
  let batch: SendableRequest[] = [];
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
const putBatch = async ({ sqs, queueUrl, trace }: PutTarget, batch: readonly SendableRequest[]): Promise<void> => {
  let left = batch;
  let reason = '';
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await pause(100 * 2 ** attempt);
    const { Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: left.map(({ body, contact, requestId }, index) => ({
          Id: String(index),
          MessageBody: body,
          MessageGroupId: messageGroup(contact),
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
