import { setTimeout as pause } from 'node:timers/promises';
import type { InvokeFunction } from '../lambda/function-declaration.ts';
import { failedMessages } from './failed-messages.ts';
import type { StreamRecord } from './stream-event.ts';

/** Why a batch is given up. */
export type DiscardCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

/** How a mapping deals with a batch that fails. */
export interface StreamBatchRules {
  readonly bisectsOnError: boolean;
  readonly reportsBatchItemFailures: boolean;
  /** Repetitions of one batch; infinite where it is undefined. */
  readonly maximumRetryAttempts: number | undefined;
  readonly maximumRecordAgeMs: number | undefined;
}

/** What a batch is worked on with. */
export interface StreamBatchSurroundings {
  readonly invoke: InvokeFunction;
  readonly now: () => Date;
  readonly stopped: AbortSignal;
  readonly discard: (batch: DiscardedBatch) => Promise<void>;
}

export interface DiscardedBatch {
  readonly records: readonly StreamRecord[];
  readonly condition: DiscardCondition;
  readonly invokeCount: number;
  /** Whether the function itself failed, or only reported failures. */
  readonly functionFailed: boolean;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Works through a batch in order: repeats what fails until it does not, is too old, or was repeated often enough; a batch
 * that fails as a whole is halved, so that one bad record is parted from the good ones. A split is no repetition.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html and
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const workThroughBatch = async (
  records: readonly StreamRecord[],
  rules: StreamBatchRules,
  surroundings: StreamBatchSurroundings,
): Promise<void> => {
  let rest = records;
  let invokeCount = 0;
  let functionFailed = false;
  while (rest.length > 0 && !surroundings.stopped.aborted) {
    rest = await withoutOld(rest, rules, surroundings, { invokeCount, functionFailed });
    if (rest.length === 0) return;
    const result = await surroundings.invoke(JSON.stringify({ Records: rest }));
    if (surroundings.stopped.aborted) return;
    invokeCount += 1;
    functionFailed = !result.ok;
    const ids = rest.map(({ dynamodb }) => dynamodb.SequenceNumber);
    const failed = failedMessages(result, ids, rules.reportsBatchItemFailures);
    const first = ids.findIndex((id) => failed.has(id));
    if (first < 0) return;
    if (first > 0) {
      // What came before the first failure is done; the rest is a batch of its own.
      rest = rest.slice(first);
      invokeCount = 0;
    } else if (rules.bisectsOnError && rest.length > 1) {
      const middle = Math.ceil(rest.length / 2);
      await wait(1, surroundings);
      await workThroughBatch(rest.slice(0, middle), rules, surroundings);
      return workThroughBatch(rest.slice(middle), rules, surroundings);
    } else if (rules.maximumRetryAttempts !== undefined && invokeCount > rules.maximumRetryAttempts) {
      const condition = 'RetryAttemptsExhausted';
      return surroundings.discard({ records: rest, condition, invokeCount, functionFailed });
    }
    await wait(invokeCount, surroundings);
  }
};

const withoutOld = async (
  records: readonly StreamRecord[],
  { maximumRecordAgeMs = Number.POSITIVE_INFINITY }: StreamBatchRules,
  { now, discard }: StreamBatchSurroundings,
  tried: { readonly invokeCount: number; readonly functionFailed: boolean },
): Promise<readonly StreamRecord[]> => {
  const oldest = now().getTime() - maximumRecordAgeMs;
  const isOld = ({ dynamodb }: StreamRecord) => dynamodb.ApproximateCreationDateTime * 1000 < oldest;
  const old = records.filter(isOld);
  if (old.length > 0) await discard({ records: old, condition: 'RecordAgeExceeded', ...tried });
  return records.filter((record) => !isOld(record));
};

const wait = (attempt: number, { stopped }: StreamBatchSurroundings): Promise<void> =>
  pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)), undefined, { signal: stopped }).catch(
    () => undefined,
  );
