import type { Instant } from '../domain/instant.ts';
import { recordMessage } from '../runtime/record-message.ts';
import type { SendContext } from './send-context.ts';

/**
 * Links the chat service's ids of a call to its request, and confirms the send if an event has already named its
 * message. An event that arrives later finds the request through the link. Can be repeated.
 */
export const confirmByTransactions = async (
  context: SendContext,
  requestId: string,
  transactionIds: readonly string[],
  at: Instant,
): Promise<void> => {
  const { sends } = context;
  for (const transactionId of transactionIds) {
    const linked = await sends.linkRequest(transactionId, requestId, at);
    const message = linked && (await sends.confirm(requestId, linked));
    if (message !== undefined) await recordMessage(context, message);
  }
};
