import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createConversationTable } from '../../../../../lambdas/adapters/dynamodb/conversation-table.ts';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSendLists } from '../../../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { createStoreEvents } from '../../../../../lambdas/receive/store-events.ts';
import { NOW, RETENTION_DAYS } from '../../../../support/builders.ts';
import type { EmulatedTables } from '../../../../support/emulated-table.ts';
import { singly } from '../../../../support/single-event.ts';

/** Creates the repositories of a table in DynamoDB, and the function that stores events in it. */
export const createRepositories = ({ tableClient: client }: Pick<EmulatedTables, 'tableClient'>, tableName: string) =>
  repositoriesOf(createConversationTable({ client, tableName, retentionDays: RETENTION_DAYS }));

/** Creates the repositories of a table, and the function that stores events in it. */
export const repositoriesOf = (table: ConversationTable) => {
  const contacts = createDynamodbContacts(table);
  const messages = createDynamodbMessages(table);
  const sends = createDynamodbSends(table);
  const lists = createDynamodbSendLists(table);
  const storeEvent = singly(
    createStoreEvents({
      repositories: () => ({ contacts, messages, sends }),
      clock: { now: () => NOW },
      budgetMs: 10_000,
      chatPlatform: 'chat',
      windowPer: 'user',
    }),
  );
  return { table, contacts, messages, sends, lists, erasures: createDynamodbErasures(table), storeEvent };
};

export type Repositories = ReturnType<typeof repositoriesOf>;
