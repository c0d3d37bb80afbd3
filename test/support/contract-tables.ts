import { randomUUID } from 'node:crypto';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, inject } from 'vitest';
import { registeringChannels } from '../../lambdas/adapters/dynamodb/conversation-table.ts';
import type { ConversationTable } from '../../lambdas/adapters/dynamodb/table.ts';
import type { RetentionDays } from '../../lambdas/domain/retention.ts';
import type { ItemKey } from '../../lambdas/table/keys.ts';
import { createSimulatedTable, createTableState, nameOf, type TableState } from '../simulation/world/table.ts';
import { RETENTION_DAYS } from './builders.ts';
import type { EmulatedTables, Item } from './emulated-table.ts';
import { connectToTestTables } from './test-tables.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the tests of the repositories run on. @default the DynamoDB that the project's global setup provides */
    readonly tablesOfContract: 'simulated';
  }
}

/** The conversation tables of a test, on the implementation that the test project selects. */
export interface ContractTables {
  createTable(): Promise<string>;
  /** Every operation of a table that does not exist fails with DynamoDB's error. */
  tableOf(tableName: string, retentionDays?: RetentionDays): ConversationTable;
  /** Returns the table's items by `pk sk`. */
  items(tableName: string): Promise<Record<string, Item>>;
  put(tableName: string, item: Item): Promise<void>;
  remove(tableName: string, key: ItemKey): Promise<void>;
}

/**
 * Returns the tables for the tests of the repositories. The same tests run on the simulated table in the project
 * `contract`, on the local run's DynamoDB in `unit`, and on an independent DynamoDB in `fidelity`.
 */
export const contractTables = (): ContractTables => {
  if (inject('tablesOfContract') === 'simulated') return simulatedTables();
  const tables = connectToTestTables();
  afterAll(() => tables.close());
  return realTables(tables);
};

export const realTables = (tables: EmulatedTables): ContractTables => ({
  createTable: tables.createTable,
  items: tables.items,
  tableOf: (tableName, retentionDays) => tables.tableOf(tableName, retentionDays && { retentionDays }),
  async put(TableName, item) {
    const Item = marshall(item, { removeUndefinedValues: true });
    await tables.client.send(new PutItemCommand({ TableName, Item }));
  },
  async remove(TableName, key) {
    await tables.client.send(new DeleteItemCommand({ TableName, Key: marshall(key) }));
  },
});

export const simulatedTables = (): ContractTables => {
  const states = new Map<string, TableState>();
  const stateOf = (tableName: string): TableState => {
    const state = states.get(tableName);
    if (state) return state;
    throw Object.assign(new Error('Requested resource not found'), { name: 'ResourceNotFoundException' });
  };
  return {
    async createTable() {
      const name = `simulated-${randomUUID()}`;
      states.set(name, createTableState());
      return name;
    },
    tableOf(tableName, retentionDays = RETENTION_DAYS) {
      const state = states.get(tableName) ?? createTableState();
      const table = createSimulatedTable(state, async (_, perform) => {
        stateOf(tableName);
        return perform();
      });
      const expiryOf: ConversationTable['expiryOf'] = (kind, instant) =>
        Math.floor(Date.parse(instant) / 1000) + retentionDays[kind] * 24 * 60 * 60;
      return registeringChannels({ ...table, expiryOf }, new Map());
    },
    items: async (tableName) => Object.fromEntries(stateOf(tableName).items),
    put: async (tableName, item) => stateOf(tableName).put(item),
    async remove(tableName, key) {
      const state = stateOf(tableName);
      if (state.items.has(nameOf(key))) state.delete(key, 'attribute_exists(#pk)', {});
    },
  };
};
