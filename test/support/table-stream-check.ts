import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type _Record, DescribeStreamCommand } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Violation, violationsOfChange } from '../../lambdas/laws/check-laws.ts';
import type { Change } from '../../lambdas/laws/law.ts';
import type { Emulators } from '../../local/emulators/emulators.ts';
import { readShard } from '../../local/event-sources/shard-reader.ts';

/** Follows the stream of a table from its first record. */
export interface TableStreamCheck extends AsyncDisposable {
  /** Reads up to the latest record. Returns the violations since the last call. */
  readOn(): Promise<readonly Violation[]>;
  /** The number of records read. */
  readonly count: () => number;
}

/** Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html */
const EXPIRED_BY = 'dynamodb.amazonaws.com';

export const createTableStreamCheck = async (
  { dynamodb, dynamodbStreams: streams }: Pick<Emulators, 'dynamodb' | 'dynamodbStreams'>,
  TableName: string,
): Promise<TableStreamCheck> => {
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName }));
  const streamArn = Table?.LatestStreamArn;
  if (streamArn === undefined) throw new Error(`The table ${TableName} has no stream.`);
  const stop = new AbortController();
  const shards = new Map<string, AsyncGenerator<readonly _Record[], void>>();
  let count = 0;

  const openShards = async (): Promise<void> => {
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: streamArn }));
    for (const { ShardId: shardId = '' } of StreamDescription?.Shards ?? []) {
      if (shards.has(shardId)) continue;
      const shard = { streamArn, shardId, startingPosition: 'TRIM_HORIZON' as const };
      shards.set(shardId, readShard(shard, { streams, stopped: stop.signal, onFailure: () => undefined }));
    }
  };

  return {
    count: () => count,
    async readOn() {
      const violations: Violation[] = [];
      await openShards();
      for (const records of shards.values()) {
        for (let read = await records.next(); !read.done && read.value.length > 0; read = await records.next()) {
          count += read.value.length;
          violations.push(...read.value.flatMap((record) => violationsOfChange(changeOf(record))));
        }
      }
      return violations;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
    },
  };
};

const changeOf = ({ dynamodb = {}, userIdentity }: _Record): Change => ({
  before: dynamodb.OldImage && unmarshall(dynamodb.OldImage, { wrapNumbers: Number }),
  after: dynamodb.NewImage && unmarshall(dynamodb.NewImage, { wrapNumbers: Number }),
  isExpiry: userIdentity?.PrincipalId === EXPIRED_BY,
});
