import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type _Record,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
} from '@aws-sdk/client-dynamodb-streams';

export interface ShardToRead {
  readonly streamArn: string;
  readonly shardId: string | undefined;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
}

export interface ShardReaderContext {
  readonly streams: DynamoDBStreamsClient;
  readonly stopped: AbortSignal;
  /** Receives each failed read; the read is repeated after a second. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_DELAY_MS = 1_000;
const MAX_RECORDS = 1000;

/**
 * Yields a shard's records, one array per read, an empty one when there are none; ends when the shard ends or the signal is
 * aborted. A failed read is repeated from the same position, so no record is skipped or yielded twice.
 *
 * @param firstIterator Where to start, if the caller already has an iterator of the starting position.
 */
export async function* readShard(
  shard: ShardToRead,
  { streams, stopped, onFailure }: ShardReaderContext,
  firstIterator?: string,
): AsyncGenerator<readonly _Record[], void> {
  let iterator = firstIterator;
  let lastRead: string | undefined;
  while (!stopped.aborted) {
    let records: readonly _Record[];
    let next: string | undefined;
    try {
      iterator ??= await findIterator(streams, shard, lastRead);
      const read = new GetRecordsCommand({ ShardIterator: iterator, Limit: MAX_RECORDS });
      ({ Records: records = [], NextShardIterator: next } = await streams.send(read, { abortSignal: stopped }));
    } catch (error) {
      if (stopped.aborted) return;
      if (error instanceof ExpiredIteratorException) iterator = undefined;
      onFailure(error);
      await pause(RETRY_DELAY_MS, undefined, { signal: stopped }).catch(() => undefined);
      continue;
    }
    lastRead = records.at(-1)?.dynamodb?.SequenceNumber ?? lastRead;
    yield records.filter(isChange);
    if (next === undefined) return;
    iterator = next;
  }
}

/**
 * Whether DynamoDB would also write this record. The emulator writes one even if a write changes nothing.
 *
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
 */
const isChange = ({ eventName, dynamodb }: _Record): boolean =>
  eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb?.OldImage, dynamodb?.NewImage);

/** Returns an iterator behind the record that was read last, or else at the shard's starting position. */
export const findIterator = async (
  streams: DynamoDBStreamsClient,
  { streamArn, shardId, startingPosition }: ShardToRead,
  lastRead?: string,
): Promise<string | undefined> => {
  const start: Pick<GetShardIteratorCommandInput, 'ShardIteratorType' | 'SequenceNumber'> =
    lastRead === undefined
      ? { ShardIteratorType: startingPosition }
      : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: lastRead };
  const command = new GetShardIteratorCommand({ StreamArn: streamArn, ShardId: shardId, ...start });
  return (await streams.send(command)).ShardIterator;
};
