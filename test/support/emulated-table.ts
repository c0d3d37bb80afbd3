import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createDynamodbClient, type DynamodbClient } from '../../lambdas/adapters/dynamodb/client.ts';
import { createConversationTable } from '../../lambdas/adapters/dynamodb/conversation-table.ts';
import type { ConversationTable, TableOptions } from '../../lambdas/adapters/dynamodb/table.ts';
import { ParleyTable } from '../../lib/constructs/table.ts';
import { createRunFolder } from '../../local/base/run-folder.ts';
import { startDynamoDb } from '../../local/emulators/dynamodb.ts';
import { RETENTION_DAYS } from './builders.ts';

export type Item = Record<string, unknown>;

/** The conversation tables of a test, in an emulator. */
export interface EmulatedTables {
  readonly url: string;
  readonly client: DynamoDBClient;
  /** The functions' own client. */
  readonly tableClient: DynamodbClient;
  createTable(): Promise<string>;
  /** Returns a table as the functions use it. */
  tableOf(tableName: string, options?: Partial<TableOptions>): ConversationTable;
  /** Returns the table's items by `pk sk`. */
  items(tableName: string): Promise<Record<string, Item>>;
  close(): Promise<void>;
}

/** An emulator and the schema of its tables: JSON, so that the processes of a test run can share it. */
export interface TableEmulator {
  readonly url: string;
  readonly schema: Omit<CreateTableCommandInput, 'TableName'>;
}

export const startTableEmulator = async (): Promise<TableEmulator & AsyncDisposable> => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await createRunFolder());
  const { url } = stack.use(await startDynamoDb(folder.path));
  const resources = stack.move();
  return { url, schema: deployedSchema(), [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

/** Starts an emulator of its own, for what runs outside Vitest. */
export const startEmulatedTables = async (): Promise<EmulatedTables> => {
  const emulator = await startTableEmulator();
  const tables = connectToTables(emulator);
  return {
    ...tables,
    async close() {
      await tables.close();
      await emulator[Symbol.asyncDispose]();
    },
  };
};

export const connectToTables = ({ url, schema }: TableEmulator): EmulatedTables => {
  const access = {
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: undefined },
  };
  const client = new DynamoDBClient(access);
  const tableClient = createDynamodbClient({ maxAttempts: 3, ...access, requestHandler: {} });
  return {
    url,
    client,
    tableClient,
    // Read through `this`, so that a test can replace the client.
    tableOf(tableName, options) {
      return createConversationTable({
        ...{ abortSignal: undefined, client: this.tableClient, tableName, retentionDays: RETENTION_DAYS },
        ...options,
      });
    },
    async createTable() {
      const TableName = `conversations-${randomUUID()}`;
      await client.send(new CreateTableCommand({ ...schema, TableName }));
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
    close: async () => client.destroy(),
  };
};

/** The schema that the stack deploys: keys and indexes are declared once, in the construct. */
export const deployedSchema = (): Omit<CreateTableCommandInput, 'TableName'> => {
  const stack = new Stack(new App(), 'Stack');
  new ParleyTable(stack, 'Table');
  const [table] = Object.values(Template.fromStack(stack).findResources('AWS::DynamoDB::Table'));
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode } = table?.Properties ?? {};
  return { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode };
};
