import type { AccountRef } from '../../domain/circuit-breaker.ts';
import type { StopRepository } from '../../ports.ts';
import { parseSending } from '../../table/account-item.ts';
import { accountKey } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

/**
 * Creates the repository of an account's stops, which are in the item of its circuit breaker, so that functions read
 * both at once. The item has the time of the latest stop or resumption, and no write replaces a later one.
 */
export const createDynamodbStops = (table: ConversationTable, account: AccountRef): StopRepository => {
  const key = accountKey(account);
  const NOT_RESUMED_SINCE = 'attribute_not_exists(#resumedAt) OR #resumedAt < ';
  return {
    read: async () => parseSending(await table.get(key)),

    async stop({ stoppedAt, note }) {
      const { item } = await table.update(
        {
          key,
          set: { ...account, stoppedAt, stopNote: note, resumedAt: undefined },
          // The note decides between stops of the same millisecond, regardless of their order.
          condition:
            `(${NOT_RESUMED_SINCE}:stoppedAt) AND (attribute_not_exists(#stoppedAt) OR #stoppedAt < :stoppedAt ` +
            'OR (#stoppedAt = :stoppedAt AND #stopNote < :stopNote))',
        },
        { returnItem: true },
      );
      return parseSending(item);
    },

    async resume(resumedAt) {
      const { item } = await table.update(
        {
          key,
          set: { ...account, resumedAt, stoppedAt: undefined, stopNote: undefined },
          condition: `(${NOT_RESUMED_SINCE}:resumedAt) AND (attribute_not_exists(#stoppedAt) OR #stoppedAt <= :resumedAt)`,
        },
        { returnItem: true },
      );
      return parseSending(item);
    },
  };
};
