import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { z } from 'zod';
import { CREDENTIALS, REGION } from '../../../../local/aws-environment.ts';
import { type AwsResponse, awsError, startAwsJsonServer } from '../../../../local/emulators/aws-json-server.ts';

/** A stream with one shard, whose API fails on request. */
export interface FakeStream extends AsyncDisposable {
  readonly client: DynamoDBStreamsClient;
  /** Adds a record with the next sequence number, which starts at 1. */
  readonly add: () => void;
  /** The operations that were called, oldest first. */
  readonly calls: readonly string[];
  /** Lets the next calls of an operation fail with an error. */
  readonly fail: (operation: string, errorType: string, times: number) => void;
}

const request = z.object({
  ShardIterator: z.string().optional(),
  ShardIteratorType: z.enum(['TRIM_HORIZON', 'LATEST', 'AFTER_SEQUENCE_NUMBER']).optional(),
  SequenceNumber: z.string().optional(),
});

export const startFakeStream = async (): Promise<FakeStream> => {
  let records = 0;
  const calls: string[] = [];
  const faults: { operation: string; errorType: string }[] = [];

  const respond = (operation: string, input: unknown): object => {
    const { ShardIterator, ShardIteratorType, SequenceNumber } = request.parse(input);
    if (operation === 'DescribeStream') return { StreamDescription: { Shards: [{ ShardId: 'shard' }] } };
    if (operation === 'GetShardIterator') {
      const after = { TRIM_HORIZON: 0, LATEST: records, AFTER_SEQUENCE_NUMBER: Number(SequenceNumber) };
      return { ShardIterator: String(after[ShardIteratorType ?? 'LATEST']) };
    }
    const start = Number(ShardIterator);
    const Records = Array.from({ length: records - start }, (_, index) => ({
      eventID: String(start + index + 1),
      eventName: 'INSERT',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
        Keys: { pk: { S: 'key' } },
        SequenceNumber: String(start + index + 1),
      },
    }));
    return { Records, NextShardIterator: String(records) };
  };

  const server = await startAwsJsonServer('application/x-amz-json-1.0', ({ operation: target, input }): AwsResponse => {
    const operation = target.replace(/^.*\./, '');
    calls.push(operation);
    const fault = faults.findIndex((one) => one.operation === operation);
    const [failure] = fault === -1 ? [] : faults.splice(fault, 1);
    if (failure) return awsError(failure.errorType, 'The stream fails.');
    return { status: 200, body: respond(operation, input) };
  });
  const client = new DynamoDBStreamsClient({
    endpoint: server.url,
    region: REGION,
    credentials: CREDENTIALS,
    maxAttempts: 1,
  });
  return {
    client,
    calls,
    add: () => {
      records += 1;
    },
    fail: (operation, errorType, times) => {
      for (let time = 0; time < times; time += 1) faults.push({ operation, errorType });
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await server.close();
    },
  };
};
