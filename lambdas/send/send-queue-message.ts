import type { SQSRecord } from 'aws-lambda';
import { contactRef, type WindowPer } from '../domain/contact.ts';
import { readSendRequest } from '../domain/send-request.ts';
import type { QueuedSend } from '../domain/send-state.ts';
import type { Log, Metrics, SendDeadLetters } from '../ports.ts';
import type { MessageResult } from '../queue-handler.ts';

export interface SendQueueMessagePorts {
  readonly sendMessage: (send: QueuedSend, hasTime: () => boolean) => Promise<MessageResult>;
  readonly deadLetters: SendDeadLetters;
  /** The platform and the business's own number of a request that names none. */
  readonly chatPlatform: string;
  readonly chatChannelNumber: string;
  readonly windowPer: WindowPer;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Reads a message of the send queue; a malformed one goes to the dead-letter queue at once and delays nobody. */
export const createSendQueueMessage =
  ({ sendMessage, deadLetters, chatPlatform, chatChannelNumber, windowPer, log, metrics }: SendQueueMessagePorts) =>
  async (message: SQSRecord, hasTime: () => boolean = () => true): Promise<MessageResult> => {
    const { MessageGroupId, ApproximateReceiveCount } = message.attributes;
    const origin = {
      body: message.body,
      groupId: MessageGroupId ?? message.messageId,
      // The copy's own: two messages with one id of the sender's within five minutes would else be one dead letter.
      deduplicationId: message.messageId,
    };
    const read = readSendRequest(message.body);
    if (read.kind === 'malformed') {
      metrics.count('SendMalformed');
      log.warn('malformed request', { messageId: message.messageId, explanation: read.explanation });
      await deadLetters.put(origin, `MALFORMED: ${read.explanation}`);
      return { kind: 'done' };
    }
    const { request } = read;
    const contact = contactRef(
      request.chatPlatform ?? chatPlatform,
      request.platformContactId,
      windowPer === 'channel' ? (request.chatChannelNumber ?? chatChannelNumber) : undefined,
    );
    return sendMessage({ request, contact, isFirstReceive: ApproximateReceiveCount === '1', ...origin }, hasTime);
  };
