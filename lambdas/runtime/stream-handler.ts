import type { DynamoDBBatchResponse } from 'aws-lambda';
import type { Ms } from '../domain/duration.ts';
import type { Invocation } from './frame.ts';

export interface StreamHandlerOptions<StreamRecord> {
  /** Returns the sequence numbers of the records to retry. `hasTime` returns whether `requiredTimeMs` is still left. */
  readonly handleRecords: (records: readonly StreamRecord[], hasTime: () => boolean) => Promise<readonly string[]>;
  /** How much of the invocation's time must be left to start another attempt. */
  readonly requiredTimeMs: Ms;
}

/**
 * Handles a batch of stream records. Lambda continues from the first record to retry and delivers all records behind it
 * again, so events that were already published are published again, with the same ids.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const createStreamHandler =
  <StreamRecord>({ handleRecords, requiredTimeMs }: StreamHandlerOptions<StreamRecord>) =>
  async (
    event: { readonly Records: readonly StreamRecord[] },
    invocation: Invocation,
  ): Promise<DynamoDBBatchResponse> => {
    const hasTime = () => invocation.getRemainingTimeInMillis() >= requiredTimeMs;
    const retried = await handleRecords(event.Records, hasTime);
    return { batchItemFailures: retried.map((itemIdentifier) => ({ itemIdentifier })) };
  };
