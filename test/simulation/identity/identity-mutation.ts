import type { ManageMutation } from '../world/manage-process.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import type { Mutation } from '../world/send-process.ts';
import type { TableState } from '../world/table.ts';

/** A way to break the functions on purpose. */
export interface IdentityMutation {
  readonly receive?: ReceiveMutation;
  readonly send?: Mutation;
  readonly manage?: ManageMutation;
}

/** Creates the mutation of a stage, given its table. */
export type CreateIdentityMutation = (table: TableState) => IdentityMutation;
