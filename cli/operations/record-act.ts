import type { DeadLetterQueueName } from '../../lambdas/domain/dead-letter.ts';
import type { ManagementClient } from './management-client.ts';

/** An action that the command performs with the operator's own AWS permissions. */
export type OwnAct =
  | { readonly action: 'access-token-change' | 'webhook-secret-change' }
  | {
      readonly action: 'redrive' | 'dead-letter-deletion';
      readonly queue: DeadLetterQueueName;
      readonly deadLetterId?: string | undefined;
      readonly reason?: string | undefined;
    };

/** Records an action in the audit trail. Call it before performing the action, so that no action lacks an entry. */
export const recordAct = async (api: ManagementClient, act: OwnAct): Promise<void> => {
  await api('POST', '/v1/audit', act);
};
