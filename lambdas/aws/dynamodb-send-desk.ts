import { createHash } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { AccountRef } from '../domain/account.ts';
import * as z from '../domain/schema.ts';
import { SETTLEABLE, type SendRecord, type Settlement, sendRecord } from '../domain/send-record.ts';
import type { SendDesk, UncertainPosition } from '../ports.ts';
import { readAccountItem } from './item-readers.ts';
import { outboundUpdate } from './outbound-update.ts';
import { accountItem, contactName, sendItem, UNSETTLED_PARTITIONS } from './table-keys.ts';
import { expiryOf, updateItem } from './update-item.ts';

export interface DynamodbSendDeskOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly retentionDays: number;
  /** The account that is sent by. */
  readonly account: AccountRef;
}

/** Reads sends, registers those that are about to be queued, and settles those that are uncertain. */
export const createDynamodbSendDesk = (options: DynamodbSendDeskOptions): SendDesk => {
  const { client, tableName, retentionDays, account } = options;
  const queryUncertain = async (
    partition: string,
    { limit, after }: { limit: number; after?: UncertainPosition },
  ): Promise<SendRecord[]> => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: 'unsettled',
        KeyConditionExpression: '#unsettled = :unsettled AND #uncertainAt >= :from',
        ExpressionAttributeNames: { '#unsettled': 'unsettled', '#uncertainAt': 'uncertainAt' },
        ExpressionAttributeValues: marshall({ ':unsettled': partition, ':from': after?.uncertainAt ?? '0' }),
        Limit: limit,
      }),
    );
    return Items.map((item) => readSendRecord(unmarshall(item)));
  };

  return {
    async readSend(requestId) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: marshall(sendItem(requestId)), ConsistentRead: true }),
      );
      return Item && readSendRecord(unmarshall(Item));
    },

    async register({ request, body, contact }, at) {
      const digest = createHash('sha256').update(body).digest('base64');
      const update = updateItem(tableName, {
        key: sendItem(request.requestId),
        set: { queuedDigest: digest },
        alsoSet: ['contact', 'queuedAt', 'createdAt', 'expiresAt'].map(
          (name) => `#${name} = if_not_exists(#${name}, :${name})`,
        ),
        names: ['contact', 'queuedAt', 'createdAt', 'expiresAt', 'body', 'pk', 'state'],
        values: {
          contact: contactName(contact),
          queuedAt: at,
          createdAt: at,
          expiresAt: expiryOf(at, retentionDays),
          body,
        },
        condition:
          'attribute_not_exists(#pk) OR (attribute_not_exists(#state) AND #queuedDigest = :queuedDigest) OR #body = :body',
      });
      try {
        const { Attributes } = await client.send(new UpdateItemCommand({ ...update, ReturnValues: 'ALL_OLD' }));
        const before = Attributes && readSendRecord(unmarshall(Attributes));
        return before ? { kind: 'known', state: before.state } : { kind: 'registered' };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { kind: 'reused', state: 'queued' };
      }
    },

    async listUncertain(page) {
      const found = await Promise.all(UNSETTLED_PARTITIONS.map((partition) => queryUncertain(partition, page)));
      return found
        .flat()
        .filter((send) => send.state === 'uncertain' && isAfter(send, page.after))
        .toSorted((one, other) => (isAfter(one, positionOf(other)) ? 1 : -1))
        .slice(0, page.limit);
    },

    async settle(send, settlement) {
      const states = SETTLEABLE[settlement.outcome];
      const names = states.map((state) => `:${state}`);
      const update = updateItem(tableName, {
        key: sendItem(send.requestId),
        set: { ...settled(send, settlement), unsettled: undefined },
        names: ['claimId'],
        values: { ...Object.fromEntries(states.map((state) => [state, state])), claimId: send.claimId },
        condition: `#state IN (${names.join(', ')}) AND #claimId = :claimId`,
      });
      try {
        await client.send(new UpdateItemCommand(update));
        return 'settled';
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return 'held';
        throw error;
      }
    },

    async recordOutbound(message) {
      const update = outboundUpdate(message, contactName(message.contact), retentionDays);
      await client.send(new UpdateItemCommand(updateItem(tableName, update)));
    },

    async readAccount() {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: marshall(accountItem(account)), ConsistentRead: true }),
      );
      return readAccountItem(Item && unmarshall(Item));
    },
  };
};

const settled = (send: SendRecord, settlement: Settlement): Record<string, unknown> => {
  const { at, why } = settlement;
  switch (settlement.outcome) {
    case 'accepted':
      return {
        state: 'accepted',
        acceptedAt: at,
        messageId: settlement.messageId,
        call: send.call,
        why,
        uncertainAt: undefined,
      };
    case 'failed':
      return { state: 'rejected', rejectedAt: at, why };
    case 'resend':
      return { state: 'waiting', waitingAt: at, why };
  }
};

const readSendRecord = (item: Record<string, unknown>): SendRecord =>
  z.parse(sendRecord, { ...item, requestId: String(item.pk).slice('SEND#'.length) });

const positionOf = ({ uncertainAt = '', requestId }: SendRecord): UncertainPosition => ({ uncertainAt, requestId });

const isAfter = (send: SendRecord, position: UncertainPosition | undefined): boolean => {
  if (position === undefined) return true;
  const { uncertainAt, requestId } = positionOf(send);
  return uncertainAt === position.uncertainAt ? requestId > position.requestId : uncertainAt > position.uncertainAt;
};
