import { setTimeout as pause } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** An item of a table as plain values. */
export type TableItem = Readonly<Record<string, unknown>>;

const POLL_MS = 250;

/**
 * Calls `onItem` for every item written to a table from now on.
 *
 * @returns a resource that stops the calls. Resolves as soon as no later write can be missed.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
 */
export const watchTable = async (
  streams: DynamoDBStreamsClient,
  streamArn: string,
  onItem: (item: TableItem) => void,
): Promise<Disposable> => {
  const stop = new AbortController();
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const iterators = await Promise.all(
    (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
      const start = { StreamArn: streamArn, ShardId, ShardIteratorType: 'LATEST' as const };
      return (await streams.send(new GetShardIteratorCommand(start))).ShardIterator;
    }),
  );

  const follow = async (first: string | undefined): Promise<void> => {
    let iterator = first;
    while (iterator !== undefined && !stop.signal.aborted) {
      const { Records = [], NextShardIterator } = await streams.send(
        new GetRecordsCommand({ ShardIterator: iterator }),
        { abortSignal: stop.signal },
      );
      for (const { dynamodb } of Records) if (dynamodb?.NewImage) onItem(unmarshall(dynamodb.NewImage));
      iterator = NextShardIterator;
      if (Records.length === 0) await pause(POLL_MS, undefined, { signal: stop.signal });
    }
  };
  // Ignores errors: if the emulator has stopped, the run is ending or other parts report it.
  for (const iterator of iterators) void follow(iterator).catch(() => undefined);
  return { [Symbol.dispose]: () => stop.abort() };
};
