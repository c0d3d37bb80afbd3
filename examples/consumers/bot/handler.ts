/**
 * Answers each message of a user once, even if its event arrives twice.
 *
 * The request ID is derived from the ID of the user's message. Parley sends a request ID once, so a repeated event
 * queues a request that is dropped. This needs the same body each time: a request with a known ID and another body goes
 * to the dead-letter queue. If your bot words its answers differently each time, store the answer under the message's ID
 * before you queue it.
 *
 * A bot's own messages do not reach it: they are `MessageEchoed`, not `MessageReceived`.
 */
import { createHash } from 'node:crypto';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { isMessageReceived, type ParleyEvent, parseParleyEvent } from 'parley/events';
import { messageGroupId } from '../../message-group-id.ts';

/** An answer that comes later than this is not sent. */
const MAX_AGE_MS = 10 * 60 * 1000;

const sqs = new SQSClient();

export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const results = await Promise.allSettled(
    Records.map(async ({ body }) => {
      const event = parseParleyEvent(body);
      if (isMessageReceived(event)) await answer(event);
    }),
  );
  const batchItemFailures = Records.flatMap(({ messageId }, index) => {
    const result = results[index];
    if (result?.status !== 'rejected') return [];
    console.error(`The message ${messageId} failed and will be delivered again.`, result.reason);
    return [{ itemIdentifier: messageId }];
  });
  return { batchItemFailures };
};

const answer = async ({ detail }: ParleyEvent<'MessageReceived'>): Promise<void> => {
  const { messageId, platformContactId, at, content } = detail;
  const messageText = replyTo(content?.text ?? '');
  if (platformContactId === undefined || messageText === undefined) return;
  // Hashed, because a message's ID can be longer than a request ID.
  const requestId = `bot-${createHash('sha256').update(messageId).digest('hex')}`;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.SEND_QUEUE_URL,
      MessageGroupId: messageGroupId(platformContactId),
      MessageDeduplicationId: requestId,
      MessageBody: JSON.stringify({
        requestId,
        platformContactId,
        messageText,
        notAfter: new Date(Date.parse(at) + MAX_AGE_MS).toISOString(),
      }),
    }),
  );
};

const replyTo = (text: string): string | undefined => {
  if (/\bhours?\b/i.test(text)) return 'We are open from nine to five, Monday to Friday.';
  if (/\bagent\b/i.test(text)) return 'A colleague will be with you shortly.';
  return undefined;
};
