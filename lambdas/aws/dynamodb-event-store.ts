import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { StatusChange } from '../domain/webhook-event.ts';
import type { EventStore, WriteResult } from '../ports.ts';
import { presentMedia } from './media-attribute.ts';
import { createSettleSend } from './settle-send.ts';
import { contactItem, contactName, echoItem, messageItem } from './table-keys.ts';
import { expiryOf, type ItemUpdate, updateItem } from './update-item.ts';
import { withinBudget } from './within-budget.ts';

export interface DynamodbEventStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly retentionDays: number;
  /** What one write may take, the SDK's own repetitions included. */
  readonly budgetMs: number;
}

const WRITTEN: WriteResult = { kind: 'written' };

/**
 * Keeps events so that order and repetition do not matter: each write is one conditional update that keeps the least of
 * what competes (the earliest version of a message, the earliest time of a status) or, for the window, the latest.
 */
export const createDynamodbEventStore = ({
  client,
  tableName,
  retentionDays,
  budgetMs,
}: DynamodbEventStoreOptions): EventStore => {
  const settleSend = createSettleSend({ client, tableName, retentionDays });

  const attempt = async (writing: (abortSignal: AbortSignal) => Promise<unknown>): Promise<WriteResult> => {
    try {
      await withinBudget(budgetMs, writing);
      return WRITTEN;
    } catch (error) {
      // The table already holds what wins against this write.
      if (error instanceof ConditionalCheckFailedException) return WRITTEN;
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      const reason = `${name}: ${message}`;
      // An item over 400 KB, say; nothing that trying again would mend.
      return { kind: name === 'ValidationException' ? 'refused' : 'unreachable', reason };
    }
  };

  const write = (update: ItemUpdate): Promise<WriteResult> =>
    attempt((abortSignal) => client.send(new UpdateItemCommand(updateItem(tableName, update)), { abortSignal }));

  return {
    settleSend: (status) => attempt((abortSignal) => settleSend(status, abortSignal)),

    recordMessage: (message) =>
      write({
        key: message.kind === 'echo' ? echoItem(message.id) : messageItem(message.id),
        set: {
          direction: message.kind === 'echo' ? 'echo' : 'inbound',
          contact: message.contact && contactName(message.contact),
          text: message.text,
          media: presentMedia(message.media),
          createdAt: message.time.at,
          createdAtSource: message.time.source,
          body: message.body,
          expiresAt: expiryOf(message.time.at, retentionDays),
        },
        condition:
          'attribute_not_exists(#createdAt) OR #createdAt > :createdAt OR (#createdAt = :createdAt AND #body > :body)',
      }),

    recordStatus: (status) => write(statusUpdate(status, expiryOf(status.at, retentionDays))),

    openWindow: (message) =>
      write({
        key: contactItem(message.contact),
        set: {
          lastInboundAt: message.time.at,
          lastInboundId: message.id,
          // Two messages of one millisecond: which of them names the contact must not depend on their order.
          lastInboundDigest: createHash('sha256').update(message.body).digest('base64'),
          address: message.address,
          name: message.name,
          customerId: message.customerId,
        },
        condition:
          'attribute_not_exists(#lastInboundAt) OR #lastInboundAt < :lastInboundAt OR (#lastInboundAt = :lastInboundAt AND #lastInboundDigest < :lastInboundDigest)',
      }),
  };
};

/** A status may come before its message: what it writes must not look like one, nor shorten one's life. */
const statusUpdate = (status: StatusChange, expiresAt: number): ItemUpdate => {
  const keepExpiry = {
    alsoSet: ['#expiresAt = if_not_exists(#expiresAt, :expiresAt)'],
    names: ['expiresAt'],
    values: { expiresAt },
  };
  const key = messageItem(status.id);
  switch (status.status) {
    case 'sent':
    case 'delivered':
    case 'read': {
      const at = `${status.status}At`;
      return {
        key,
        set: { [at]: status.at },
        condition: `attribute_not_exists(#${at}) OR #${at} > :${at}`,
        ...keepExpiry,
      };
    }
    case 'failed':
      return {
        key,
        // Why it failed stands, if anywhere, in fields that the contract does not show.
        set: { failedAt: status.at, failedBody: status.body },
        condition:
          'attribute_not_exists(#failedAt) OR #failedAt > :failedAt OR (#failedAt = :failedAt AND #failedBody > :failedBody)',
        ...keepExpiry,
      };
    case 'other':
      return { key, set: {}, add: { otherStatuses: new Set([`${status.literal} ${status.at}`]) }, ...keepExpiry };
  }
};
