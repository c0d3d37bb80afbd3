import type { OutboundMessage } from '../domain/message.ts';
import { recordSentMessage } from '../runtime/record-sent-message.ts';
import type { SendContext } from './send-context.ts';

/** Records the message of an accepted send, and reports it if its ID is that of another user's message. */
export const recordMessage = async (context: SendContext, message: OutboundMessage): Promise<void> => {
  const recorded = await recordSentMessage(context, message);
  if (recorded === 'other-user') reportIdOfAnotherContact(context, message);
};

/** The send stays accepted: only its message is missing in the conversation, and its statuses are quarantined. */
export const reportIdOfAnotherContact = (
  { log, metrics }: Pick<SendContext, 'log' | 'metrics'>,
  { id, requestId }: Pick<OutboundMessage, 'id' | 'requestId'>,
): void => {
  metrics.count('MessageNotRecorded');
  log.error('message of an accepted send not recorded: its id belongs to a message of another contact', {
    requestId,
    messageId: id,
  });
};
