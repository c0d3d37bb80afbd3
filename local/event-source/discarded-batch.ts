import { randomUUID } from 'node:crypto';
import type { DiscardedBatch } from './stream-batch.ts';

/**
 * What a mapping's on-failure queue is told of a batch that was given up: where its records stand in the stream, not the
 * records themselves.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html, "Additional configurations … for
 * failed batches"
 */
export const discardedBatchMessage = (
  { records, condition, invokeCount, functionFailed }: DiscardedBatch,
  {
    functionArn,
    streamArn,
    shardId,
    now,
  }: { readonly functionArn: string; readonly streamArn: string; readonly shardId: string; readonly now: Date },
) => {
  const arrival = (record: DiscardedBatch['records'][number] | undefined): string =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z');
  return {
    requestContext: { requestId: randomUUID(), functionArn, condition, approximateInvokeCount: invokeCount },
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      ...(functionFailed && { functionError: 'Unhandled' }),
    },
    version: '1.0',
    timestamp: now.toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: records[0]?.dynamodb.SequenceNumber,
      endSequenceNumber: records.at(-1)?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(records[0]),
      approximateArrivalOfLastRecord: arrival(records.at(-1)),
      batchSize: records.length,
      streamArn,
    },
  };
};
