import type { KeptQueue } from '../../lambdas/domain/dead-letter.ts';
import type { ManagementClient } from './management-client.ts';

/** What the command does with the operator's own AWS permissions. */
export type OwnAct =
  | { readonly action: 'access-token-change' }
  | {
      readonly action: 'redrive' | 'dead-letter-deletion';
      readonly queue: KeptQueue;
      readonly deadLetterId?: string | undefined;
      readonly reason?: string | undefined;
    };

/** Records an act in the audit trail. Call it before the act, so that no act is without an entry. */
export const recordAct = async (api: ManagementClient, act: OwnAct): Promise<void> => {
  await api('POST', '/v1/audit', act);
};
