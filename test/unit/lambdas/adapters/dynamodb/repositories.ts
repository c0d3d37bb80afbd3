import { createDynamodbContacts } from '../../../../../lambdas/adapters/dynamodb/contacts.ts';
import { createDynamodbErasures } from '../../../../../lambdas/adapters/dynamodb/erasures.ts';
import { createDynamodbMessages } from '../../../../../lambdas/adapters/dynamodb/messages.ts';
import { createDynamodbSendLists } from '../../../../../lambdas/adapters/dynamodb/send-lists.ts';
import { createDynamodbSends } from '../../../../../lambdas/adapters/dynamodb/sends.ts';
import type { ConversationTable } from '../../../../../lambdas/adapters/dynamodb/table.ts';
import { ms } from '../../../../../lambdas/domain/duration.ts';
import type { Keywords } from '../../../../../lambdas/domain/keywords/keywords.ts';
import { createStoreEvents } from '../../../../../lambdas/receive/store-events.ts';
import { NOW, PLAIN_RECEIVER } from '../../../../support/builders.ts';
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
