import { CreateTableCommand, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { startDynamoDb } from '../../../../local/emulators/dynamodb.ts';
import { createRunFolder } from '../../../../local/run-folder.ts';

export type Item = Record<string, unknown>;

/** A DynamoDB emulator, with tables of the conversation table's keys and index, one for each history that is compared. */
export interface EmulatedTables {
  readonly url: string;
  readonly client: DynamoDBClient;
  createTable(): Promise<string>;
  /** The table's items by `pk sk`. */
  items(tableName: string): Promise<Record<string, Item>>;
  close(): Promise<void>;
}

export const startEmulatedTables = async (): Promise<EmulatedTables> => {
  const folder = await createRunFolder();
  const emulator = await startDynamoDb(folder.path);
  const client = new DynamoDBClient({
    endpoint: emulator.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  let tables = 0;

  return {
    url: emulator.url,
    client,
    async createTable() {
      tables += 1;
      const TableName = `conversations-${tables}`;
      const string = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
      const key = (hash: string, range: string) => [
        { AttributeName: hash, KeyType: 'HASH' as const },
        { AttributeName: range, KeyType: 'RANGE' as const },
      ];
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: ['pk', 'sk', 'contact', 'createdAt', 'unsettled', 'uncertainAt'].map(string),
          KeySchema: key('pk', 'sk'),
          GlobalSecondaryIndexes: [
            { IndexName: 'byContact', KeySchema: key('contact', 'createdAt'), Projection: { ProjectionType: 'ALL' } },
            {
              IndexName: 'unsettled',
              KeySchema: key('unsettled', 'uncertainAt'),
              Projection: { ProjectionType: 'ALL' },
            },
          ],
        }),
      );
      return TableName;
    },
    async items(TableName) {
      const items: Record<string, Item> = {};
      for await (const page of paginateScan({ client }, { TableName })) {
        for (const stored of page.Items ?? []) {
          const item = unmarshall(stored);
          items[`${item.pk} ${item.sk}`] = item;
        }
      }
      return items;
    },
    async close() {
      client.destroy();
      await emulator.close();
      await folder.remove();
    },
  };
};
