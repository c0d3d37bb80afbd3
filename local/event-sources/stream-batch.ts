import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { InvocationResult } from '../functions/invocation.ts';
import { failedItems } from './batch-response.ts';
import type { StreamRecord } from './stream-records.ts';

/** Why a batch is discarded. */
export type DiscardCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** What a mapping does with a batch that fails. */
export interface StreamBatchRules {
  readonly bisectsOnError: boolean;
  readonly reportsBatchItemFailures: boolean;
  /** Undefined for no limit. */
  readonly maximumRetryAttempts: number | undefined;
  /** Undefined for no limit. */
  readonly maximumRecordAgeMs: number | undefined;
}

export interface StreamBatchContext<Record extends StreamRecord> {
  readonly invoke: (records: readonly Record[]) => Promise<InvocationResult>;
  readonly now: () => Date;
  readonly stopped: AbortSignal;
  readonly discard: (batch: DiscardedBatch<Record>) => Promise<void>;
  /** Waits before an attempt. @default waits until then, or until `stopped` */
  readonly pause?: (ms: number) => Promise<void>;
}

export interface DiscardedBatch<Record extends StreamRecord = StreamRecord> {
  readonly records: readonly Record[];
  readonly condition: DiscardCondition;
  readonly invokeCount: number;
  /** Whether the function itself failed, instead of only reporting failed records. */
  readonly functionFailed: boolean;
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;

/**
 * Processes a batch in order. Retries failed records until they succeed, are too old, or have no attempts left. Splits
 * a batch that fails as a whole in half, which isolates bad records from good ones. A split does not count as a retry.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html and
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const processBatch = async <Record extends StreamRecord>(
  records: readonly Record[],
  rules: StreamBatchRules,
  context: StreamBatchContext<Record>,
): Promise<void> => {
  let rest = records;
  let invokeCount = 0;
  let functionFailed = false;
  while (rest.length > 0 && !context.stopped.aborted) {
    rest = await discardOld(rest, rules, context, { invokeCount, functionFailed });
    if (rest.length === 0) return;
    const result = await context.invoke(rest);
    if (context.stopped.aborted) return;
    invokeCount += 1;
    functionFailed = !result.ok;
    const ids = rest.map(({ dynamodb }) => dynamodb.SequenceNumber);
    const failed = failedItems(result, ids, rules.reportsBatchItemFailures);
    const firstFailed = ids.findIndex((id) => failed.has(id));
    if (firstFailed < 0) return;
    if (firstFailed > 0) {
      // The records before the first failure are done. The others form a new batch.
      rest = rest.slice(firstFailed);
      invokeCount = 0;
    } else if (rules.bisectsOnError && rest.length > 1) {
      const middle = Math.ceil(rest.length / 2);
      await backOff(1, context);
      await processBatch(rest.slice(0, middle), rules, context);
      return processBatch(rest.slice(middle), rules, context);
    } else if (rules.maximumRetryAttempts !== undefined && invokeCount > rules.maximumRetryAttempts) {
      const condition = 'RetryAttemptsExhausted';
      return context.discard({ records: rest, condition, invokeCount, functionFailed });
    }
    await backOff(invokeCount, context);
  }
};

const discardOld = async <Record extends StreamRecord>(
  records: readonly Record[],
  { maximumRecordAgeMs = Number.POSITIVE_INFINITY }: StreamBatchRules,
  { now, discard }: StreamBatchContext<Record>,
  attempts: Pick<DiscardedBatch, 'invokeCount' | 'functionFailed'>,
): Promise<readonly Record[]> => {
  const oldest = now().getTime() - maximumRecordAgeMs;
  const isOld = ({ dynamodb }: Record) => dynamodb.ApproximateCreationDateTime * 1000 < oldest;
  const old = records.filter(isOld);
  if (old.length > 0) await discard({ records: old, condition: 'RecordAgeExceeded', ...attempts });
  return records.filter((record) => !isOld(record));
};

const backOff = <Record extends StreamRecord>(
  attempt: number,
  { stopped, pause = (ms) => setTimeout(ms, undefined, { signal: stopped }) }: StreamBatchContext<Record>,
): Promise<void> => pause(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))).catch(() => undefined);

/** Where a discarded batch comes from. */
export interface DiscardedBatchOrigin {
  readonly functionArn: string;
  readonly streamArn: string;
  readonly shardId: string;
}

/**
 * Returns the message about a discarded batch for the mapping's on-failure queue. It contains the records' positions in
 * the stream, but not the records.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html, "Additional configurations … for
 * failed batches"
 */
export const discardedBatchMessage = (
  { records, condition, invokeCount, functionFailed }: DiscardedBatch,
  { functionArn, streamArn, shardId }: DiscardedBatchOrigin,
  now: Date,
) => ({
  requestContext: { requestId: randomUUID(), functionArn, condition, approximateInvokeCount: invokeCount },
  responseContext: {
    statusCode: 200,
    executedVersion: '$LATEST',
    functionError: functionFailed ? 'Unhandled' : null,
  },
  version: '1.0',
  timestamp: now.toISOString(),
  DDBStreamBatchInfo: {
    shardId,
    startSequenceNumber: records[0]?.dynamodb.SequenceNumber,
    endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
    approximateArrivalOfFirstRecord: arrivalOf(records[0]),
    approximateArrivalOfLastRecord: arrivalOf(records.at(-1)),
    batchSize: records.length,
    streamArn,
  },
});

const arrivalOf = (record: StreamRecord | undefined): string =>
  new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z');
