import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** A table's item as plain values. */
export type TableItem = Readonly<Record<string, unknown>>;

const POLL_MS = 250;

/**
 * Tells of every write to a table from now on, by its stream.
 *
 * @returns once nothing is missed any more; the function in it ends the watch.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
 */
export const watchTable = async (
  streams: DynamoDBStreamsClient,
  streamArn: string,
  onItem: (item: TableItem) => void,
): Promise<() => void> => {
  const ending = new AbortController();
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const iterators = await Promise.all(
    (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
      const start = { StreamArn: streamArn, ShardId, ShardIteratorType: 'LATEST' as const };
      return (await streams.send(new GetShardIteratorCommand(start))).ShardIterator;
    }),
  );

  const follow = async (first: string | undefined): Promise<void> => {
    let iterator = first;
    while (iterator !== undefined && !ending.signal.aborted) {
      const { Records = [], NextShardIterator } = await streams.send(
        new GetRecordsCommand({ ShardIterator: iterator }),
        { abortSignal: ending.signal },
      );
      for (const { dynamodb } of Records) if (dynamodb?.NewImage) onItem(unmarshall(dynamodb.NewImage));
      iterator = NextShardIterator;
      if (Records.length === 0) await pause(POLL_MS, undefined, { signal: ending.signal });
    }
  };
  // The console goes on without news when the emulator has gone: the run is ending, or says so elsewhere.
  for (const iterator of iterators) void follow(iterator).catch(() => undefined);
  return () => ending.abort();
};
