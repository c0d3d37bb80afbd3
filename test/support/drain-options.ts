import type { DrainMessageOptions } from '../../lambdas/receive/drain-message.ts';

/** What drains messages of which none is a buffered request, and all fit into the dead-letter queue. */
export const VERIFIED_AND_SMALL: Pick<DrainMessageOptions, 'verifyRequest' | 'quarantineMessage'> = {
  verifyRequest: () => Promise.reject(new Error('No message is a buffered request.')),
  quarantineMessage: () => Promise.reject(new Error('No message is too large.')),
};
