import type { OutboundMessage } from '../domain/message.ts';
import type { Log, MessageRepository, Metrics, SendRepository } from '../ports.ts';
import { recordSentMessage } from './record-sent-message.ts';

interface Reporting {
  readonly log: Log;
  readonly metrics: Metrics;
}

interface RecordMessagePorts extends Reporting {
  readonly messages: Pick<MessageRepository, 'recordOutbound'>;
  readonly sends: Pick<SendRepository, 'fail'>;
}

/** Records the message of an accepted send, and reports it if its ID is that of another user's message. */
export const recordMessage = async (ports: RecordMessagePorts, message: OutboundMessage): Promise<void> => {
  const recorded = await recordSentMessage(ports, message);
  if (recorded === 'other-user') reportIdOfAnotherContact(ports, message);
};

/** The send stays accepted: only its message is missing in the conversation, and its statuses are quarantined. */
export const reportIdOfAnotherContact = (
  { log, metrics }: Reporting,
  { id, requestId }: Pick<OutboundMessage, 'id' | 'requestId'>,
): void => {
  metrics.count('MessageNotRecorded');
  log.error('message of an accepted send not recorded: its id belongs to a message of another contact', {
    requestId,
    messageId: id,
  });
};
