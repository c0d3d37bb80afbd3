import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
} from '@aws-sdk/client-dynamodb-streams';
import { CREDENTIALS, REGION } from '../../../../local/base/aws-environment.ts';

/** One read of a shard: its records, or the error it fails with. The shard ends after its last read. */
export type FakeRead = readonly string[] | Error;

/** Creates a record of a stream. */
export const fakeRecord = (sequenceNumber: string, at = new Date('2026-11-20T12:00:00.000Z')): _Record => ({
  eventID: sequenceNumber,
  eventName: 'INSERT',
  dynamodb: {
    ApproximateCreationDateTime: at,
    Keys: { pk: { S: sequenceNumber } },
    NewImage: { pk: { S: sequenceNumber } },
    SequenceNumber: sequenceNumber,
  },
});

/**
 * Creates a client of a stream that fails and ends as given, which the emulator does not do on request.
 *
 * @param shards The reads of each shard, in order. `open` repeats an empty read, like a shard that has not ended.
 * @param at When the records were written.
 */
export const fakeStreams = (
  shards: Readonly<Record<string, readonly (FakeRead | 'open')[]>>,
  { at }: { readonly at?: Date } = {},
) => {
  const client = new DynamoDBStreamsClient({
    region: REGION,
    credentials: CREDENTIALS,
    endpoint: 'http://127.0.0.1:9',
  });
  const reads = new Map(Object.entries(shards).map(([shardId, list]) => [shardId, [...list]]));
  const calls = { describes: 0, iterators: [] as GetShardIteratorCommandInput[] };
  const getRecords = (shardId: string): Omit<GetRecordsCommandOutput, '$metadata'> => {
    const left = reads.get(shardId) ?? [];
    const next = left[0] === 'open' ? 'open' : left.shift();
    if (next instanceof Error) throw next;
    const read = next === undefined || next === 'open' ? [] : next;
    return {
      Records: read.map((sequenceNumber) => fakeRecord(sequenceNumber, at)),
      ...(left.length > 0 && { NextShardIterator: shardId }),
    };
  };
  const send = async (command: unknown): Promise<object> => {
    // As on a network, a call takes at least a turn of the event loop.
    await new Promise(setImmediate);
    if (command instanceof DescribeStreamCommand) {
      calls.describes += 1;
      return { StreamDescription: { Shards: Object.keys(shards).map((ShardId) => ({ ShardId })) } };
    }
    if (command instanceof GetShardIteratorCommand) {
      calls.iterators.push(command.input);
      return { ShardIterator: command.input.ShardId };
    }
    if (command instanceof GetRecordsCommand) return getRecords(command.input.ShardIterator ?? '');
    throw new Error('Unexpected command.');
  };
  return { client: Object.assign(client, { send }), calls };
};
