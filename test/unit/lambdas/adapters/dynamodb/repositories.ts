import { beforeEach } from 'vitest';
import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSendLists } from '../../../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { Keywords } from '../../../../../lambdas/domain/keywords/keywords.ts';
import { createStoreEvents } from '../../../../../lambdas/receive/store-events.ts';
import type { ItemKey } from '../../../../../lambdas/table/keys.ts';
import { NOW, PLAIN_RECEIVER } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import type { Item } from '../../../../support/emulated-table.ts';
import { singly } from '../../../../support/single-event.ts';

/**
 * Creates the repositories of a table, and the function that stores events in it.
 *
 * @param keywords the keywords of the stage. @default none
 * @param turns whether messages are added to turns. @default false
 */
export const repositoriesOf = (
  table: ConversationTable,
  keywords?: Keywords,
  { turns = false }: { readonly turns?: boolean } = {},
) => {
  const contacts = createDynamodbContacts(table, { readsHandovers: false });
  const messages = createDynamodbMessages(table, { gapClock: undefined });
  const sends = createDynamodbSends(table);
  const lists = createDynamodbSendLists(table);
  const storeEvent = singly(
    createStoreEvents({
      ...PLAIN_RECEIVER,
      keywords,
      turns,
      repositories: () => ({ contacts, messages, sends }),
      clock: { now: () => NOW },
      budgetMs: ms(10_000),
      chatPlatform: 'chat',
      windowPer: 'user',
      chatChannelNumber: '+5491100000000',
    }),
  );
  return { table, contacts, messages, sends, lists, erasures: createDynamodbErasures(table), storeEvent };
};

export type Repositories = ReturnType<typeof repositoriesOf>;

/** Creates the repositories of a table that is new for each test of the file. */
export const createRepositoriesForEach = (keywords?: Keywords) => {
  const tables = contractTables();
  let tableName: string;
  let current: Repositories;
  beforeEach(async () => {
    tableName = await tables.createTable();
    current = repositoriesOf(tables.tableOf(tableName), keywords);
  });
  return {
    get contacts() {
      return current.contacts;
    },
    get erasures() {
      return current.erasures;
    },
    get messages() {
      return current.messages;
    },
    get sends() {
      return current.sends;
    },
    get storeEvent() {
      return current.storeEvent;
    },
    /** The table of the test. */
    get table() {
      return tables.tableOf(tableName);
    },
    /** A table that does not exist. */
    missingTable: () => tables.tableOf('no-such-table'),
    items: () => tables.items(tableName),
    put: (item: Item) => tables.put(tableName, item),
    remove: (key: ItemKey) => tables.remove(tableName, key),
    /** Stores a webhook event. */
    receive: (
      wire: unknown,
      changes: { readonly receivedAt?: string; readonly traceparent?: string | undefined } = {},
    ) => current.storeEvent({ rawBody: Buffer.from(JSON.stringify(wire)), receivedAt: NOW, ...changes }),
  };
};
