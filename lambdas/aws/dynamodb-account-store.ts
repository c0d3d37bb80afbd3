import { ConditionalCheckFailedException, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { AccountRef } from '../domain/account.ts';
import type { AccountStore } from '../ports.ts';
import { readAccountItem } from './item-readers.ts';
import { accountItem } from './table-keys.ts';
import { type ItemUpdate, updateItem } from './update-item.ts';

export interface DynamodbAccountStoreOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly account: AccountRef;
}

/**
 * Keeps an account's item: `state` is `held` or `open`, and its changes are what tells of a hold and its end. Every
 * transition is guarded by what it starts from, so that each write tells how the account stands, whether it took or not.
 */
export const createDynamodbAccountStore = ({
  client,
  tableName,
  account,
}: DynamodbAccountStoreOptions): AccountStore => {
  const key = accountItem(account);

  /** How the item stands after the update, or as it stood that did not let it. */
  const update = async (change: Omit<ItemUpdate, 'key'>) => {
    try {
      const { Attributes } = await client.send(
        new UpdateItemCommand({
          ...updateItem(tableName, { key, ...change }),
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { isWritten: true, account: readAccountItem(Attributes && unmarshall(Attributes)) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { isWritten: false, account: readAccountItem(error.Item && unmarshall(error.Item)) };
    }
  };

  return {
    async hold({ reason, why, calledAt, heldAt, nextProbeAt }) {
      const held = await update({
        set: { ...account, state: 'held', reason, why, heldAt, nextProbeAt, probes: 0, probeId: undefined },
        names: ['resumedAt'],
        values: { open: 'open', calledAt },
        condition: 'attribute_not_exists(#state) OR (#state = :open AND #resumedAt < :calledAt)',
      });
      return held.account;
    },

    async takeProbe({ probeId, now, leaseUntil }) {
      const { isWritten, account: standing } = await update({
        set: { nextProbeAt: leaseUntil, probeId },
        alsoSet: ['#probes = if_not_exists(#probes, :none) + :one'],
        names: ['state', 'probes'],
        values: { held: 'held', now, none: 0, one: 1 },
        condition: '#state = :held AND #nextProbeAt <= :now',
      });
      // The second condition: the SDK repeated a write whose answer was lost.
      const isOurs = isWritten || standing.probeId === probeId;
      return isOurs && standing.kind === 'held' ? { kind: 'taken', account: standing } : standing;
    },

    async failProbe(probeId, { reason, why, nextProbeAt }) {
      const failed = await update({
        set: { reason, why, nextProbeAt },
        names: ['state', 'probeId'],
        values: { held: 'held', probeId },
        condition: '#state = :held AND #probeId = :probeId',
      });
      return failed.account;
    },

    async resume(probeId, resumedAt) {
      const resumed = await update({
        set: { state: 'open', resumedAt, nextProbeAt: undefined, probes: undefined },
        names: ['probeId'],
        values: { held: 'held', probeId },
        condition: '#state = :held AND #probeId = :probeId',
      });
      return resumed.account;
    },
  };
};
