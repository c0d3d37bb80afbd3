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

/**
 * Reads the sends from the table once, then follows its stream. `onItem` receives every later write and removal of any
 * item, with the send that it changed.
 */
export const openSendLog = async (
  dynamodb: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  tableName: string,
  onItem: (item: StoredItem, summary: SendSummary | undefined, states: SendStates) => void,
): Promise<SendLog> => {
  const { add, addStatus, find, states } = createLatestSends();
  const addItem = ({ id, send, status }: StoredItem): SendSummary | undefined => {
    if (send !== undefined) return add(summarizeSend(send));
    return status === undefined ? undefined : addStatus(id, status);
  };
  const apply = (item: StoredItem): void => onItem(item, addItem(item), states());

  // Follows the stream before it reads the table, so that it misses no write in between.
  const early: StoredItem[] = [];
  let onWrite = (item: StoredItem): void => void early.push(item);
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  const streamArn = Table?.LatestStreamArn;
  const watch =
    streamArn === undefined
      ? undefined
      : await watchTable(streams, streamArn, (...item) => onWrite(readStored(...item)));

  const { sends, statuses } = await readTable(dynamodb, tableName);
  for (const status of statuses) addStatus(...status);
  for (const send of sends.toSorted(byTime)) add(send);
  onWrite = apply;
  for (const item of early) apply(item);
  return { find, states, [Symbol.dispose]: () => watch?.[Symbol.dispose]() };
};

interface TableContent {
  readonly sends: readonly SendSummary[];
  /** Of messages, by their IDs. */
  readonly statuses: readonly (readonly [messageId: string, status: string])[];
}

const readTable = async (client: DynamoDBClient, TableName: string): Promise<TableContent> => {
  const sends: SendSummary[] = [];
  const statuses: (readonly [string, string])[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
    for (const { id, send, status } of Items.map((item) => readStored(unmarshall(item)))) {
      if (send !== undefined) sends.push(summarizeSend(send));
      if (status !== undefined) statuses.push([id, status]);
    }
  }
  return { sends, statuses };
};

const byTime = ({ at: left = '' }: SendSummary, { at: right = '' }: SendSummary): number =>
  left < right ? -1 : Number(left > right);
