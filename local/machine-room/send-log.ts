import { DescribeTableCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { SendSummary } from '../../sandbox/machine-room/machine-room.ts';
import { sendSummary } from './send-summary.ts';
import { type TableItem, watchTable } from './table-watch.ts';

/** The requests that the table holds, kept up to date by its stream. */
export interface SendLog {
  /** Latest change first. */
  list(): readonly SendSummary[];
  close(): void;
}

/** Older requests are still found in the table by their ids. */
const REMEMBERED = 2_000;

/** Reads the requests from the table once, then follows its stream; every later write of any item goes to `onItem`. */
export const openSendLog = async (
  dynamodb: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  tableName: string,
  onItem: (item: TableItem, send: SendSummary | undefined) => void,
): Promise<SendLog> => {
  // In the order of their latest change, the last one at the end.
  const sends = new Map<string, SendSummary>();
  const remember = (send: SendSummary) => {
    sends.delete(send.requestId);
    sends.set(send.requestId, send);
    const [oldest] = sends.keys();
    if (sends.size > REMEMBERED && oldest !== undefined) sends.delete(oldest);
  };
  const take = (item: TableItem) => {
    const send = sendSummary(item);
    if (send !== undefined) remember(send);
    onItem(item, send);
  };

  // The stream first, so that nothing is missed between the two.
  const missed: TableItem[] = [];
  let onWrite = (item: TableItem): void => void missed.push(item);
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  const arn = Table?.LatestStreamArn;
  const close = arn === undefined ? () => undefined : await watchTable(streams, arn, (item) => onWrite(item));

  for (const send of (await readSends(dynamodb, tableName)).toSorted(byTime)) remember(send);
  onWrite = take;
  for (const item of missed) take(item);
  return { list: () => [...sends.values()].reverse(), close };
};

const readSends = async (client: DynamoDBClient, TableName: string): Promise<readonly SendSummary[]> => {
  const found: SendSummary[] = [];
  const sendsOnly = { FilterExpression: 'sk = :send', ExpressionAttributeValues: { ':send': { S: 'SEND' } } };
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ...sendsOnly })) {
    found.push(...Items.flatMap((item) => sendSummary(unmarshall(item)) ?? []));
  }
  return found;
};

const byTime = ({ at: left = '' }: SendSummary, { at: right = '' }: SendSummary): number =>
  left < right ? -1 : Number(left > right);
