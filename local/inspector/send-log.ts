import { DescribeTableCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { SendStates, SendSummary } from '../../sandbox/base/inspector.ts';
import { createLatestSends, type LatestSends } from './latest-sends.ts';
import { summarizeSend } from './send-summary.ts';
import { type TableItem, watchTable } from './table-stream.ts';

/** The sends in the table, kept up to date from its stream. */
export interface SendLog extends Pick<LatestSends, 'find' | 'states'>, Disposable {}

/** Reads the sends from the table once, then follows its stream. `onItem` receives every later write to any item. */
export const openSendLog = async (
  dynamodb: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  tableName: string,
  onItem: (item: TableItem, send: SendSummary | undefined, states: SendStates) => void,
): Promise<SendLog> => {
  const { add, find, states } = createLatestSends();
  const apply = (item: TableItem): void => {
    const send = summarizeSend(item);
    if (send !== undefined) add(send);
    onItem(item, send, states());
  };

  // Follows the stream before it reads the table, so that it misses no write in between.
  const early: TableItem[] = [];
  let onWrite = (item: TableItem): void => void early.push(item);
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  const streamArn = Table?.LatestStreamArn;
  const watch = streamArn === undefined ? undefined : await watchTable(streams, streamArn, (item) => onWrite(item));

  for (const send of (await readSends(dynamodb, tableName)).toSorted(byTime)) add(send);
  onWrite = apply;
  for (const item of early) apply(item);
  return { find, states, [Symbol.dispose]: () => watch?.[Symbol.dispose]() };
};

const readSends = async (client: DynamoDBClient, TableName: string): Promise<readonly SendSummary[]> => {
  const found: SendSummary[] = [];
  const sendsOnly = { FilterExpression: 'sk = :send', ExpressionAttributeValues: { ':send': { S: 'SEND' } } };
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ...sendsOnly })) {
    found.push(...Items.flatMap((item) => summarizeSend(unmarshall(item)) ?? []));
  }
  return found;
};

const byTime = ({ at: left = '' }: SendSummary, { at: right = '' }: SendSummary): number =>
  left < right ? -1 : Number(left > right);
