import type { SendRepository } from '../../ports.ts';
import { transactionKey } from '../../table/keys.ts';
import { parseTransaction } from '../../table/transaction-item.ts';
import type { ConversationTable } from './table.ts';

/** Creates the part of the repository of sends that links calls to messages. Each link is one write. */
export const createTransactionLinks = (
  table: ConversationTable,
): Pick<SendRepository, 'linkRequest' | 'linkMessage'> => ({
  async linkRequest(transactionId, requestId, at) {
    const link = { requestId, expiresAt: table.expiryOf('sends', at) };
    const { item } = await table.update({ key: transactionKey(transactionId), setOnce: link }, { returnItem: true });
    const { requestId: owner, messageId, messageAt } = parseTransaction(item);
    // A service that uses an id twice must not put a message into another user's conversation.
    if (owner !== requestId || messageId === undefined || messageAt === undefined) return undefined;
    return { messageId, at: messageAt };
  },

  async linkMessage(transactionId, { messageId, at: messageAt }) {
    const { item } = await table.update(
      {
        key: transactionKey(transactionId),
        set: { messageId, messageAt },
        setOnce: { expiresAt: table.expiryOf('sends', messageAt) },
        // A rule can send several messages. The earliest one counts, whatever the order of their events.
        condition:
          'attribute_not_exists(#messageId) OR #messageAt > :messageAt OR ' +
          '(#messageAt = :messageAt AND #messageId > :messageId)',
      },
      { returnItem: true },
    );
    const { requestId } = parseTransaction(item);
    return requestId === undefined ? {} : { requestId };
  },
});
