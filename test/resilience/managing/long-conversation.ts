import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamodbClient } from '../../../lambdas/adapters/dynamodb/client.ts';
import { createDynamodbContacts } from '../../../lambdas/adapters/dynamodb/contacts.ts';
import { createConversationTable } from '../../../lambdas/adapters/dynamodb/conversation-table.ts';
import { createDynamodbMessages } from '../../../lambdas/adapters/dynamodb/messages.ts';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import { addMs } from '../../../lambdas/domain/instant.ts';
import { conversationResponse, getConversation } from '../../../lambdas/manage/api/conversations.ts';
import { forEachConcurrently } from '../../../lambdas/runtime/concurrency.ts';
import { contactSort } from '../../../lambdas/table/indexes.ts';
import { contactName, type ItemKey, messageKey, sendKey } from '../../../lambdas/table/keys.ts';
import { ACCOUNT, NOW, RETENTION_DAYS, sendRequest, USER, wireMessage } from '../../support/builders.ts';
import type { EmulatedTables } from '../../support/emulated-table.ts';

export interface LongConversation {
  readonly messages: number;
  /** Sends that Parley refused, all of them later than the messages. */
  readonly refusedSends: number;
}

export interface PagingResult {
  readonly pages: number;
  /** How many different messages the pages contain. */
  readonly seen: number;
  readonly repeated: number;
  /** The size of the largest response of the function. */
  readonly maxBytes: number;
  /** The largest number of calls to DynamoDB for one page. */
  readonly maxCalls: number;
  readonly maxMs: number;
}

const CONTACT = contactRef('chat', USER);
const name = contactName(CONTACT);
/** In parts of the conversation, every tenth message is so long that 500 of them do not fit into a response. */
const isLong = (index: number): boolean => index % 1_000 < 300 && index % 10 === 0;
const textOf = (index: number): string => `Message ${index}. ${'é'.repeat(isLong(index) ? 30_000 : 100)}`;

/** Reads a conversation to its end with pages of `limit` messages, and measures each page. */
export const readLongConversation = async (
  tables: EmulatedTables,
  { messages, refusedSends }: LongConversation,
  limit: number,
): Promise<PagingResult> => {
  const tableName = await tables.createTable();
  await writeMany(tables, tableName, messages, messageItem);
  await writeMany(tables, tableName, refusedSends, refusedSend);

  let calls = 0;
  const client: DynamodbClient = {
    call(name, input) {
      calls += 1;
      return tables.tableClient.call(name, input);
    },
  };
  const table = createConversationTable({ abortSignal: undefined, client, tableName, retentionDays: RETENTION_DAYS });
  const ports = {
    contacts: createDynamodbContacts(table, { readsHandovers: false }),
    messages: createDynamodbMessages(table, { gapClock: undefined }),
    clock: { now: () => NOW },
    contactDefaults: { chatPlatform: ACCOUNT.platform, chatChannelNumber: ACCOUNT.channel, windowPer: 'user' as const },
  };
  const seen = new Set<string>();
  const result = { pages: 0, repeated: 0, maxBytes: 0, maxCalls: 0, maxMs: 0 };
  let cursor: string | undefined;
  do {
    calls = 0;
    const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
    const startedAt = performance.now();
    const { status, body } = await getConversation.respond(ports, {
      caller: { arn: 'operator' },
      id: USER,
      query,
      bodyText: '',
    });
    const response = JSON.stringify({ statusCode: status, body: JSON.stringify(body) });
    result.pages += 1;
    result.maxMs = Math.max(result.maxMs, Math.round(performance.now() - startedAt));
    result.maxBytes = Math.max(result.maxBytes, Buffer.byteLength(response));
    result.maxCalls = Math.max(result.maxCalls, calls);
    const page = conversationResponse.parse(body);
    for (const { id } of page.messages) {
      if (seen.has(id)) result.repeated += 1;
      seen.add(id);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { ...result, seen: seen.size };
};

const messageItem = (index: number): ItemKey & Record<string, unknown> => {
  const _id_ = `message-${index}`;
  const createdAt = addMs('2026-01-01T00:00:00.000Z', index * 1_000);
  return {
    ...messageKey(_id_),
    direction: 'inbound',
    contact: name,
    contactSort: contactSort('MESSAGE', createdAt),
    createdAt,
    body: JSON.stringify(wireMessage({ _id_, MESSAGE: textOf(index) })),
  };
};

const refusedSend = (index: number): ItemKey & Record<string, unknown> => {
  const requestId = `refused-${index}`;
  const createdAt = addMs(NOW, index);
  return {
    ...sendKey(requestId),
    state: 'refused',
    code: 'NO_OPT_IN',
    refusedAt: createdAt,
    contact: name,
    contactSort: contactSort('SEND', createdAt),
    createdAt,
    body: JSON.stringify(sendRequest({ requestId })),
  };
};

const BATCH = 25;

const writeMany = async (
  { client }: EmulatedTables,
  tableName: string,
  count: number,
  itemOf: (index: number) => Record<string, unknown>,
): Promise<void> => {
  const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => batch * BATCH);
  await forEachConcurrently(4, starts, async (start) => {
    const items = Array.from({ length: Math.min(BATCH, count - start) }, (_, offset) => itemOf(start + offset));
    let requests = items.map((item) => ({ PutRequest: { Item: marshall(item) } }));
    while (requests.length > 0) {
      const { UnprocessedItems } = await client.send(
        new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }),
      );
      requests = (UnprocessedItems?.[tableName] ?? []).flatMap(({ PutRequest }) =>
        PutRequest?.Item ? [{ PutRequest: { Item: PutRequest.Item } }] : [],
      );
    }
  });
};
