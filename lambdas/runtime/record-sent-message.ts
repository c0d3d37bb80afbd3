import type { OutboundMessage } from '../domain/message.ts';
import type { MessageRepository, SendRepository } from '../ports.ts';

/**
 * Records the message of an accepted send. If a status has already reported its failure, the send fails now.
 */
export const recordSentMessage = async (
  {
    messages,
    sends,
  }: { readonly messages: Pick<MessageRepository, 'recordOutbound'>; readonly sends: Pick<SendRepository, 'fail'> },
  message: OutboundMessage,
): Promise<void> => {
  const failed = await messages.recordOutbound(message);
  if (failed !== undefined) await sends.fail(message.requestId, { messageId: message.id, ...failed });
};
