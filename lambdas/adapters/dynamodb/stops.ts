import type { AccountRef } from '../../domain/circuit-breaker.ts';
import * as z from '../../domain/schema.ts';
import type { Sending, Stop } from '../../domain/sending-stop.ts';
import type { StopRepository } from '../../ports.ts';
import { optionalString, parseItem } from '../../table/item.ts';
import { accountKey } from '../../table/keys.ts';
import type { ConversationTable } from './table.ts';

const stopSchema = z.object({
  stoppedAt: optionalString,
  stopNote: z._default(z.string(), ''),
  resumedAt: optionalString,
});

/** Parses whether the account's item, which may not exist, says that sending is stopped. */
export const parseSending = (item: unknown): Sending => {
  if (item === undefined) return { state: 'running' };
  const { stoppedAt, stopNote: note, resumedAt } = parseItem(stopSchema, item);
  return stoppedAt === undefined ? { state: 'running', resumedAt } : { state: 'stopped', stoppedAt, note };
};

/** Returns the stop that an account's item, which may not exist, contains. */
export const parseStop = (item: unknown): Stop | undefined => {
  const sending = parseSending(item);
  return sending.state === 'stopped' ? { stoppedAt: sending.stoppedAt, note: sending.note } : undefined;
};

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
