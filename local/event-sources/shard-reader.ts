import {
  type _Record,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';

export interface ShardPosition {
  readonly streamArn: string;
  readonly shardId: string;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
}

/** Reads a shard from its starting position to its end. */
export interface ShardReader {
  /** Whether the shard has ended and every record was read. */
  readonly ended: boolean;
  /** Returns the next records, which may be none. After an error, the next call goes on where this one was. */
  read(abortSignal: AbortSignal): Promise<readonly _Record[]>;
}

const MAX_RECORDS = 1000;

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html */
export const createShardReader = (streams: DynamoDBStreamsClient, position: ShardPosition): ShardReader => {
  const shard = { StreamArn: position.streamArn, ShardId: position.shardId };
  let iterator: string | undefined;
  let lastSequenceNumber: string | undefined;
  let ended = false;

  const start = async (abortSignal: AbortSignal): Promise<string | undefined> => {
    const place =
      lastSequenceNumber === undefined
        ? { ShardIteratorType: position.startingPosition }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: lastSequenceNumber };
    return (await streams.send(new GetShardIteratorCommand({ ...shard, ...place }), { abortSignal })).ShardIterator;
  };

  return {
    get ended() {
      return ended;
    },
    async read(abortSignal) {
      iterator ??= await start(abortSignal);
      try {
        const request = new GetRecordsCommand({ ShardIterator: iterator, Limit: MAX_RECORDS });
        const { Records = [], NextShardIterator } = await streams.send(request, { abortSignal });
        iterator = NextShardIterator;
        ended = NextShardIterator === undefined;
        lastSequenceNumber = Records.at(-1)?.dynamodb?.SequenceNumber ?? lastSequenceNumber;
        return Records;
      } catch (error) {
        if (error instanceof ExpiredIteratorException) iterator = undefined;
        throw error;
      }
    },
  };
};
