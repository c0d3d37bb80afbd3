import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { ManageMutation } from '../world/manage-process.ts';
import type { PublishMutation } from '../world/publish-process.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import type { Mutation } from '../world/send-process.ts';
import type { LambdaName } from './processes.ts';

/**
 * A way to break the functions on purpose. Each instance belongs to one process of one function. Parts that are left
 * out are not broken.
 */
export interface StageMutation {
  /** The table, as every function uses it; the mutations of the functions apply to what this returns. */
  readonly table?: (table: ConversationTable, lambda: LambdaName) => Partial<ConversationTable>;
  readonly send?: Mutation;
  readonly receive?: Omit<ReceiveMutation, 'reading'>;
  readonly publish?: PublishMutation;
  readonly manage?: ManageMutation;
}
