import type { SendRepository } from '../../ports.ts';
import { createSendClaims } from './send-claims.ts';
import { createSendConfirmations } from './send-confirmations.ts';
import { createSendOperations } from './send-operations.ts';
import type { ConversationTable } from './table.ts';
import { createTransactionLinks } from './transactions.ts';
import { createUnclaimedSends } from './unclaimed-sends.ts';

/** Creates the repository of sends. Each transition is one conditional write. A function can also create only parts. */
export const createDynamodbSends = (table: ConversationTable): SendRepository => ({
  ...createSendOperations(table),
  ...createUnclaimedSends(table),
  ...createSendClaims(table),
  ...createSendConfirmations(table),
  ...createTransactionLinks(table),
});
