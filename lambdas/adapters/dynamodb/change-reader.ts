import { LoggableError } from '../../domain/errors.ts';
import type { ItemChange } from '../../domain/events/item-change.ts';
import type { StreamRange } from '../../domain/publish-failure.ts';
import * as z from '../../domain/schema.ts';
import type { ChangeReader, Clock } from '../../ports.ts';
import { changeOf, readItemChange, type StreamRecord } from '../../table/item-changes.ts';
import type { CallAwsService } from '../aws-json-client.ts';
import { AwsServiceError } from '../aws-service-error.ts';
import type { ConversationTable } from './table.ts';

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html */
export const DYNAMODB_STREAMS = {
  signingName: 'dynamodb',
  targetPrefix: 'DynamoDBStreams_20120810',
  jsonVersion: '1.0',
  // As in the SDK.
  retryBaseMs: 50,
} as const;

export interface ChangeReaderOptions {
  readonly table: Pick<ConversationTable, 'get'>;
  /** Calls DynamoDB Streams. */
  readonly streams: CallAwsService;
  readonly clock: Clock;
}

const iteratorAnswer = z.object({ ShardIterator: z.string() });
const recordsAnswer = z.object({
  Records: z.array(z.record(z.string(), z.unknown())),
  NextShardIterator: z.optional(z.nullable(z.string())),
});

/** The errors that mean that the stream no longer has a record. */
const EXPIRED = new Set(['TrimmedDataAccessException', 'ResourceNotFoundException']);

/** Creates the reader of changes that were not published. */
export const createDynamodbChangeReader = ({ table, streams, clock }: ChangeReaderOptions): ChangeReader => ({
  // Lambda passes on records as the stream returns them, except that it adds fields.
  readRecord: (record) => readItemChange(record as StreamRecord),

  async readItem({ pk, sk }) {
    const key = { pk, sk };
    const after = await table.get(key);
    return after && changeOf({ key, before: undefined, after, writtenAt: clock.now() });
  },

  async readRange(range) {
    try {
      return readAll(await recordsOf(streams, range));
    } catch (error) {
      if (error instanceof AwsServiceError && EXPIRED.has(error.name)) return { kind: 'expired' };
      throw error;
    }
  },
});

const readAll = (records: readonly StreamRecord[]) => {
  const changes: ItemChange[] = [];
  let unreadable = 0;
  for (const record of records) {
    try {
      const change = readItemChange(record);
      if (change) changes.push(change);
    } catch {
      unreadable += 1;
    }
  }
  return { kind: 'read', changes, unreadable } as const;
};

/** @throws LoggableError if the stream does not return all of them, because a redrive then deletes the only trace of them */
const recordsOf = async (
  streams: CallAwsService,
  { streamArn: StreamArn, shardId: ShardId, start, end }: StreamRange,
): Promise<readonly StreamRecord[]> => {
  const input = { StreamArn, ShardId, ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber: start };
  const first = await streams('GetShardIterator', JSON.stringify(input), parseWith(iteratorAnswer));
  const records: StreamRecord[] = [];
  let iterator: string | null | undefined = first.ShardIterator;
  let emptyReads = 0;
  // An open shard always has a next iterator, also after its last record.
  while (iterator && emptyReads < MAX_EMPTY_READS) {
    const { Records, NextShardIterator }: z.output<typeof recordsAnswer> = await streams(
      'GetRecords',
      JSON.stringify({ ShardIterator: iterator }),
      parseWith(recordsAnswer),
    );
    for (const record of Records as readonly StreamRecord[]) {
      const number = BigInt(record.dynamodb?.SequenceNumber ?? 0);
      if (number <= BigInt(end)) records.push(record);
      if (number >= BigInt(end)) return records;
    }
    if (Records.length === 0) emptyReads += 1;
    iterator = NextShardIterator;
  }
  throw new LoggableError('The stream returned only some of these changes. Redrive them again');
};

/**
 * GetRecords can return no records although more follow.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
 */
const MAX_EMPTY_READS = 10;

const parseWith =
  <Output>(schema: z.ZodMiniType<Output>) =>
  (answer: string): Output =>
    z.parse(schema, JSON.parse(answer));
