import type { ManageMutation } from '../world/manage-process.ts';
import type { ReceiveMutation } from '../world/receive-process.ts';
import type { Mutation } from '../world/send-process.ts';

/** A way to break the functions on purpose. */
export interface IdentityMutation {
  readonly receive?: ReceiveMutation;
  readonly send?: Mutation;
  readonly manage?: ManageMutation;
}
