import type { Context, DynamoDBBatchResponse } from 'aws-lambda';
import type { Metrics } from '../ports.ts';
import type { StreamedRecord } from './publish-changes.ts';

/** A batch of the table's stream, as Lambda hands it over; the records are read by the adapter that knows them. */
export interface StreamEvent<Record> {
  readonly Records: readonly Record[];
}

export interface StreamHandlerPorts<Record> {
  readonly readRecord: (record: Record) => StreamedRecord;
  readonly publishChanges: (
    records: readonly StreamedRecord[],
    enoughTime: () => boolean,
  ) => Promise<readonly string[]>;
  /** With less of the invocation's time left, no further round is begun. */
  readonly enoughTimeMs: number;
  readonly metrics: Metrics;
}

/**
 * The frame around the stream's batches. Lambda goes on from the first record that failed, those behind it included:
 * what was told of them already is told again, with the same ids.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const createStreamHandler =
  <Record>({ readRecord, publishChanges, enoughTimeMs, metrics }: StreamHandlerPorts<Record>) =>
  async (
    event: StreamEvent<Record>,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<DynamoDBBatchResponse> => {
    const enoughTime = () => context.getRemainingTimeInMillis() >= enoughTimeMs;
    const failed = await publishChanges(event.Records.map(readRecord), enoughTime);
    metrics.flush();
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
