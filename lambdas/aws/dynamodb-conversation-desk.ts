import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { contactRecord } from '../domain/contact-record.ts';
import { type MessageRecord, messageRecord, type PagePosition } from '../domain/message-record.ts';
import * as z from '../domain/schema.ts';
import type { ConversationDesk } from '../ports.ts';
import { contactItem, contactName, echoItem, type ItemKey, messageItem } from './table-keys.ts';
import { type ItemUpdate, updateItem } from './update-item.ts';

type Item = Record<string, unknown>;

const position = z.object({ pk: z.string(), sk: z.string(), createdAt: z.string() });

/** Reads contacts and conversations, and records consents and checks, by one conditional write each. */
export const createDynamodbConversationDesk = (client: DynamoDBClient, tableName: string): ConversationDesk => {
  const read = async (key: ItemKey): Promise<Item | undefined> => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: marshall(key), ConsistentRead: true }),
    );
    return Item && unmarshall(Item);
  };

  const write = async (update: ItemUpdate): Promise<void> => {
    try {
      await client.send(new UpdateItemCommand(updateItem(tableName, update)));
    } catch (error) {
      // The table already holds what wins against this write.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  return {
    async readContact(contact) {
      const item = await read(contactItem(contact));
      return item && z.parse(contactRecord, item);
    },

    async readConversation(contact, { limit, after }) {
      const messages: MessageRecord[] = [];
      let start = after && marshall({ ...after, contact: contactName(contact) });
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            IndexName: 'byContact',
            KeyConditionExpression: '#contact = :contact',
            // Sends stand in the index too, for erasures; they have no direction.
            FilterExpression: 'attribute_exists(#direction)',
            ExpressionAttributeNames: { '#contact': 'contact', '#direction': 'direction' },
            ExpressionAttributeValues: marshall({ ':contact': contactName(contact) }),
            ScanIndexForward: false,
            ExclusiveStartKey: start,
            Limit: limit - messages.length,
          }),
        );
        messages.push(...(page.Items ?? []).map((item) => readMessageItem(unmarshall(item))));
        start = page.LastEvaluatedKey;
      } while (start && messages.length < limit);
      const next: PagePosition | undefined = start && z.parse(position, unmarshall(start));
      return { messages, ...(next && { next }) };
    },

    async readMessage(id) {
      const [message, echo] = await Promise.all([read(messageItem(id)), read(echoItem(id))]);
      const item = message ?? echo;
      if (!item) return undefined;
      const body = typeof item.body === 'string' ? item.body : undefined;
      return { ...readMessageItem(item), ...(body !== undefined && { body }) };
    },

    async recordConsent(contact, { kind, at, source }) {
      const prefix = kind === 'opt-in' ? 'optIn' : 'optOut';
      await write({
        key: contactItem(contact),
        set: { [`${prefix}At`]: at, [`${prefix}Source`]: source },
        condition:
          `attribute_not_exists(#${prefix}At) OR #${prefix}At < :${prefix}At OR ` +
          `(#${prefix}At = :${prefix}At AND #${prefix}Source < :${prefix}Source)`,
      });
    },

    async recordCheck(contact, { checkedAt, checkedAddress }) {
      await write({
        key: contactItem(contact),
        set: { checkedAt, checkedAddress },
        condition: 'attribute_not_exists(#checkedAt) OR #checkedAt < :checkedAt',
      });
    },
  };
};

const readMessageItem = (item: Item): MessageRecord =>
  z.parse(messageRecord, { ...item, id: String(item.pk).slice('MESSAGE#'.length) });
