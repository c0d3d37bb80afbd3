import { setTimeout as pause } from 'node:timers/promises';
import { DescribeStreamCommand, type DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../lambdas/table/item.ts';
import { findIterator, readShard } from '../event-sources/shard-reader.ts';

const POLL_MS = 250;

/**
 * Calls `onItem` for every item written to a table from now on, and with the key of every item that is removed.
 *
 * @returns a resource that stops the calls. Resolves as soon as no later write can be missed.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
 */
export const watchTable = async (
  streams: DynamoDBStreamsClient,
  streamArn: string,
  onItem: (item: Item, isRemoved: boolean) => void,
): Promise<Disposable> => {
  const stop = new AbortController();
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const shards = await Promise.all(
    (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
      const shard = { streamArn, shardId: ShardId, startingPosition: 'LATEST' as const };
      return { shard, iterator: await findIterator(streams, shard) };
    }),
  );

  // Other parts report an emulator that does not answer.
  const context = { streams, stopped: stop.signal, onFailure: () => undefined };
  const follow = async ({ shard, iterator }: (typeof shards)[number]): Promise<void> => {
    for await (const records of readShard(shard, context, iterator)) {
      for (const { dynamodb: { NewImage, Keys } = {} } of records) {
        const image = NewImage ?? Keys;
        if (image) onItem(unmarshall(image), NewImage === undefined);
      }
      if (records.length === 0) await pause(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  // The console must not end the run, whatever an item looks like.
  for (const shard of shards) void follow(shard).catch(() => undefined);
  return { [Symbol.dispose]: () => stop.abort() };
};
