import type { OutboundMessage } from '../domain/message.ts';
import type { MessageRepository, SendRepository } from '../ports.ts';

/**
 * Records the message of an accepted send. If a status has already reported its failure, the send fails now.
 *
 * @returns `other-user` if its ID is that of another user's message, so that it was not recorded
 */
export const recordSentMessage = async (
  {
    messages,
    sends,
  }: { readonly messages: Pick<MessageRepository, 'recordOutbound'>; readonly sends: Pick<SendRepository, 'fail'> },
  message: OutboundMessage,
): Promise<'recorded' | 'other-user'> => {
  const failed = await messages.recordOutbound(message);
  if (failed === 'other-user') return failed;
  if (failed !== undefined) await sends.fail(message.requestId, { messageId: message.id, ...failed });
  return 'recorded';
};
