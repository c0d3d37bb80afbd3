import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import type { MessageRecord } from '../../../lambdas/domain/message.ts';
import { idOf, parseContactName } from '../../../lambdas/table/keys.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import { createSimulatedTable, type TableState } from '../world/table.ts';

/** What the management API shows of messages. */
export interface View {
  /** By the contact's name. */
  readonly conversations: ReadonlyMap<string, readonly MessageRecord[]>;
  readonly messages: ReadonlyMap<string, MessageRecord & { readonly body?: string }>;
}

export const readView = async (state: TableState, mutation: ReceiveMutation | undefined): Promise<View> => {
  const table = createSimulatedTable(state, async (_, perform) => perform());
  const plain = createDynamodbMessages(table, { gapClock: undefined });
  const messages = { ...plain, ...mutation?.reading?.(plain, table) };
  const conversations = new Map<string, readonly MessageRecord[]>();
  const records = new Map<string, MessageRecord & { readonly body?: string }>();
  for (const { pk, contact } of state.items.values()) {
    const ref = parseContactName(contact);
    if (ref && !conversations.has(String(contact))) {
      conversations.set(
        String(contact),
        (await messages.readConversation([{ subject: ref }], { limit: 100 })).messages,
      );
    }
    if (!String(pk).startsWith('MESSAGE#')) continue;
    const record = await messages.read(idOf(pk));
    if (record) records.set(idOf(pk), record);
  }
  return { conversations, messages: records };
};
