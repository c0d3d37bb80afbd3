import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from '../domain/schema.ts';
import type { StatusChange } from '../domain/webhook-event.ts';
import { readSendItem } from './item-readers.ts';
import { outboundUpdate } from './outbound-update.ts';
import { sendItem } from './table-keys.ts';
import { updateItem } from './update-item.ts';

export interface SettleSendOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly retentionDays: number;
}

/**
 * A send that is not ended, or that an earlier-written but later status has ended. One that the service's own answer has
 * ended has no `settledBy`, and stays as it is; a reference that is not ours has no item, and makes none.
 */
const NOT_ANSWERED =
  '#state IN (:claimed, :waiting, :uncertain) OR (#settledBy = :settledBy AND #acceptedAt >= :acceptedAt)';

/** The contact's name in the index, as the send's item keeps it. */
const sentTo = z.object({ contact: z.string() });

/**
 * Ends the send that a status refers to as accepted, and keeps its message in the conversation.
 *
 * The status may come while the call still waits for its answer, after that became `uncertain`, or more than once: the
 * earliest status counts, an answer counts more, and every order ends in the same items.
 */
export const createSettleSend =
  ({ client, tableName, retentionDays }: SettleSendOptions) =>
  async (status: StatusChange & { readonly reference: string }, abortSignal: AbortSignal): Promise<void> => {
    try {
      const { Attributes } = await client.send(
        new UpdateItemCommand({
          ...updateItem(tableName, {
            key: sendItem(status.reference),
            set: {
              state: 'accepted',
              messageId: status.id,
              acceptedAt: status.at,
              settledBy: 'status',
              why: 'A status of its message came: the chat service had accepted it.',
              leaseUntil: undefined,
              uncertainAt: undefined,
              unsettled: undefined,
            },
            values: { claimed: 'claimed', waiting: 'waiting', uncertain: 'uncertain' },
            condition: NOT_ANSWERED,
          }),
          ReturnValues: 'ALL_NEW',
        }),
        { abortSignal },
      );
      const item = Attributes && unmarshall(Attributes);
      const { call, claimedAt } = readSendItem(item);
      if (call === undefined || claimedAt === undefined) return;
      const { contact } = z.parse(sentTo, item);
      const outbound = { id: status.id, requestId: status.reference, call, claimedAt };
      const message = outboundUpdate(outbound, contact, retentionDays);
      await client.send(new UpdateItemCommand(updateItem(tableName, message)), { abortSignal });
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };
