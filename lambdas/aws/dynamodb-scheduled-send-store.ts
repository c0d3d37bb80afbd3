import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { HeldSend, ScheduledSendStore } from '../ports.ts';
import { readScheduledItem, readSendItem } from './item-readers.ts';
import { contactName, sendItem } from './table-keys.ts';
import { expiryOf, type ItemUpdate, updateItem } from './update-item.ts';

export interface DynamodbScheduledSendStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly retentionDays: number;
}

/** Keeps sends until their time in the same items as those that are under way. */
export const createDynamodbScheduledSendStore = ({
  client,
  tableName,
  retentionDays,
}: DynamodbScheduledSendStoreOptions): ScheduledSendStore => {
  /** Writes, or tells how the item stood that did not let it; undefined where there was none. */
  const update = async (change: ItemUpdate): Promise<'written' | HeldSend | undefined> => {
    try {
      const input = updateItem(tableName, change);
      await client.send(new UpdateItemCommand({ ...input, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
      return 'written';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // One that the management API has registered and nobody has taken up has no state yet.
      return error.Item?.state && held(error.Item);
    }
  };

  return {
    async schedule({ request, body, contact }, { at, sendAt }) {
      const result = await update({
        key: sendItem(request.requestId),
        set: {
          state: 'scheduled',
          body,
          contact: contactName(contact),
          scheduledAt: at,
          sendAt,
          // The record that it was sent must outlive the day on which it is.
          expiresAt: expiryOf(sendAt, retentionDays),
        },
        // Puts it into the index by contact, where an erasure finds it.
        alsoSet: ['#createdAt = if_not_exists(#createdAt, :createdAt)'],
        names: ['createdAt'],
        values: { createdAt: at },
        condition: 'attribute_not_exists(#state)',
      });
      if (result === undefined) throw new Error(`The send ${request.requestId} was neither written nor there.`);
      return result === 'written' ? { kind: 'scheduled' } : result;
    },

    async readScheduled(requestId) {
      const Key = marshall(sendItem(requestId));
      const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }));
      return Item && readScheduledItem(unmarshall(Item));
    },

    async cancel(requestId, at) {
      const result = await update({
        key: sendItem(requestId),
        set: { state: 'cancelled', cancelledAt: at, why: 'It was cancelled before its time.' },
        values: { scheduled: 'scheduled' },
        condition: '#state = :scheduled',
      });
      if (result === undefined) return { kind: 'unknown' };
      return result === 'written' ? { kind: 'cancelled' } : result;
    },
  };
};

const held = (item: Record<string, AttributeValue>): HeldSend => ({
  kind: 'held',
  send: readSendItem(unmarshall(item)),
});
