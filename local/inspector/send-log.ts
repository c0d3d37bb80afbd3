import { DescribeTableCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { SendSummary } from '../../sandbox/inspector.ts';
import { isObject, parseJson } from '../json.ts';
import { type TableItem, watchTable } from './table-stream.ts';

/** The sends in the table, kept up to date from its stream. */
export interface SendLog extends Disposable {
  /** Returns the sends, latest change first. */
  list(): readonly SendSummary[];
}

/** How many sends are kept. Older ones can still be read from the table by id. */
const MAX_SENDS = 2_000;

/** Reads the sends from the table once, then follows its stream. `onItem` receives every later write to any item. */
export const openSendLog = async (
  dynamodb: DynamoDBClient,
  streams: DynamoDBStreamsClient,
  tableName: string,
  onItem: (item: TableItem, send: SendSummary | undefined) => void,
): Promise<SendLog> => {
  // Ordered by latest change, most recent last.
  const sends = new Map<string, SendSummary>();
  const add = (send: SendSummary): void => {
    sends.delete(send.requestId);
    sends.set(send.requestId, send);
    const [oldest] = sends.keys();
    if (sends.size > MAX_SENDS && oldest !== undefined) sends.delete(oldest);
  };
  const apply = (item: TableItem): void => {
    const send = sendSummary(item);
    if (send !== undefined) add(send);
    onItem(item, send);
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
  return { list: () => [...sends.values()].reverse(), [Symbol.dispose]: () => watch?.[Symbol.dispose]() };
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

const KEY_PREFIX = 'SEND#';

/** Summarizes a send's item. Returns undefined for items of other kinds. */
const sendSummary = (item: TableItem): SendSummary | undefined => {
  const key = string(item.pk);
  const state = string(item.state);
  if (!key?.startsWith(KEY_PREFIX) || state === undefined) return undefined;
  const times = Object.entries(item).flatMap(([name, value]) => (name.endsWith('At') ? [string(value) ?? ''] : []));
  const request = parseJson(string(item.body) ?? '');
  return {
    requestId: key.slice(KEY_PREFIX.length),
    state,
    platformContactId: isObject(request) ? string(request.platformContactId) : undefined,
    at: times.toSorted().at(-1),
    code: string(item.code),
    decision: string(item.decision),
    outcome: string(item.outcome),
    outcomeDetails: string(item.outcomeDetails),
    messageId: string(item.messageId),
  };
};

const string = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
