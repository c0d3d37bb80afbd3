import { DescribeTableCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { SendStates } from '../../sandbox/base/inspector.ts';
import type { SendSummary } from '../../sandbox/base/trace.ts';
import { createLatestSends, type LatestSends } from './latest-sends.ts';
import { summarizeSend } from './send-summary.ts';
import { readStored, type StoredItem } from './stored-items.ts';
import { watchTable } from './table-stream.ts';

/** The sends in the table, kept up to date from its stream. */
export interface SendLog extends Pick<LatestSends, 'find' | 'states'>, Disposable {}

/** Reads the sends from the table once, then follows its stream. `onItem` receives every later write to any item. */
export const openSendLog = async (
  dynamodb: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  tableName: string,
  onItem: (item: StoredItem, summary: SendSummary | undefined, states: SendStates) => void,
): Promise<SendLog> => {
  const { add, find, states } = createLatestSends();
  const apply = (item: StoredItem): void => {
    const summary = item.send && summarizeSend(item.send);
    if (summary !== undefined) add(summary);
    onItem(item, summary, states());
  };

  // Follows the stream before it reads the table, so that it misses no write in between.
  const early: StoredItem[] = [];
  let onWrite = (item: StoredItem): void => void early.push(item);
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  const streamArn = Table?.LatestStreamArn;
  const watch =
    streamArn === undefined ? undefined : await watchTable(streams, streamArn, (item) => onWrite(readStored(item)));

  for (const send of (await readSends(dynamodb, tableName)).toSorted(byTime)) add(send);
  onWrite = apply;
  for (const item of early) apply(item);
  return { find, states, [Symbol.dispose]: () => watch?.[Symbol.dispose]() };
};

const readSends = async (client: DynamoDBClient, TableName: string): Promise<readonly SendSummary[]> => {
  const found: SendSummary[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    const sends = Items.flatMap((item) => readStored(unmarshall(item)).send ?? []);
    found.push(...sends.map(summarizeSend));
  }
  return found;
};

const byTime = ({ at: left = '' }: SendSummary, { at: right = '' }: SendSummary): number =>
  left < right ? -1 : Number(left > right);
