import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { erasureRecord } from '../domain/erasure.ts';
import * as z from '../domain/schema.ts';
import type { ErasableItem, ErasureStore } from '../ports.ts';
import { contactItem, contactName, erasureItem, type ItemKey } from './table-keys.ts';
import { type ItemUpdate, updateItem } from './update-item.ts';

const erasableItem = z.object({ pk: z.string(), sk: z.string(), state: z.optional(z.string()) });

/** Removes a contact's messages, and of its sends all but the record that they were sent. */
export const createDynamodbErasureStore = (client: DynamoDBClient, tableName: string): ErasureStore => {
  const update = async (change: ItemUpdate): Promise<boolean> => {
    try {
      await client.send(new UpdateItemCommand(updateItem(tableName, change)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };

  const removeMessage = async (item: ErasableItem, contact: string): Promise<'erased' | 'gone'> => {
    try {
      const { Attributes } = await client.send(
        new DeleteItemCommand({
          TableName: tableName,
          Key: marshall(keyOf(item)),
          ConditionExpression: '#contact = :contact',
          ExpressionAttributeNames: { '#contact': 'contact' },
          ExpressionAttributeValues: marshall({ ':contact': contact }),
          ReturnValues: 'ALL_OLD',
        }),
      );
      return Attributes ? 'erased' : 'gone';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'gone';
      throw error;
    }
  };

  /**
   * The send stays, emptied: its request may come again, and must not go out again. One that was still to go out is
   * ended; one that has changed since it was listed is left to the next turn.
   */
  const emptySend = async (item: ErasableItem, contact: string, at: string): Promise<'erased' | 'busy'> => {
    const emptied = await update({
      key: keyOf(item),
      set: {
        body: '',
        erasedAt: at,
        ...Object.fromEntries(OF_A_SEND.map((name) => [name, undefined])),
        ...ENDED_AS[item.state ?? 'queued']?.(at),
      },
      names: ['state'],
      values: {
        ofContact: contact,
        claimed: 'claimed',
        now: at,
        ...(item.state !== undefined && { listed: item.state }),
      },
      condition:
        `#contact = :ofContact AND ${item.state === undefined ? 'attribute_not_exists(#state)' : '#state = :listed'} ` +
        'AND (attribute_not_exists(#state) OR #state <> :claimed OR #leaseUntil < :now)',
    });
    return emptied ? 'erased' : 'busy';
  };

  return {
    async readErasure(erasureId) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: marshall(erasureItem(erasureId)), ConsistentRead: true }),
      );
      return Item && z.parse(erasureRecord, { ...unmarshall(Item), erasureId });
    },

    async begin(erasureId, requestedAt) {
      await update({
        key: erasureItem(erasureId),
        set: { state: 'running', requestedAt, messages: 0, sends: 0, turns: 0 },
        condition: 'attribute_not_exists(#state)',
      });
    },

    async removeContact(contact, until) {
      try {
        await client.send(
          new DeleteItemCommand({
            TableName: tableName,
            Key: marshall(contactItem(contact)),
            ConditionExpression: 'attribute_not_exists(#lastInboundAt) OR #lastInboundAt <= :until',
            ExpressionAttributeNames: { '#lastInboundAt': 'lastInboundAt' },
            ExpressionAttributeValues: marshall({ ':until': until }),
          }),
        );
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async listItems(contact, until, after) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'byContact',
          KeyConditionExpression: '#contact = :contact AND #createdAt <= :until',
          ProjectionExpression: 'pk, sk, #state',
          ExpressionAttributeNames: { '#contact': 'contact', '#createdAt': 'createdAt', '#state': 'state' },
          ExpressionAttributeValues: marshall({ ':contact': contactName(contact), ':until': until }),
          ExclusiveStartKey: after && marshall(after),
        }),
      );
      const items = Items.map((item) => z.parse(erasableItem, unmarshall(item)));
      return { items, ...(LastEvaluatedKey && { next: unmarshall(LastEvaluatedKey) }) };
    },

    erase: (contact, item, at) =>
      item.sk === 'SEND' ? emptySend(item, contactName(contact), at) : removeMessage(item, contactName(contact)),

    async record(before, { messages, sends, finishedAt }) {
      await update({
        key: erasureItem(before.erasureId),
        set: {
          messages: before.messages + messages,
          sends: before.sends + sends,
          turns: before.turns + 1,
          state: finishedAt === undefined ? 'running' : 'done',
          finishedAt,
        },
        values: { turnsBefore: before.turns },
        condition: '#turns = :turnsBefore',
      });
    },
  };
};

const keyOf = ({ pk, sk }: ErasableItem): ItemKey => ({ pk, sk });

/** How a send ends that was still to go out. */
const ENDED_AS: Readonly<Record<string, ((at: string) => Record<string, string>) | undefined>> = {
  queued: (at) => ({ state: 'cancelled', cancelledAt: at }),
  scheduled: (at) => ({ state: 'cancelled', cancelledAt: at }),
  waiting: (at) => ({ state: 'cancelled', cancelledAt: at }),
};

/** What of a send's item tells of the contact, and what keeps the item in the indexes. */
const OF_A_SEND = ['contact', 'createdAt', 'call', 'why', 'unsettled', 'queuedDigest', 'leaseUntil'] as const;
