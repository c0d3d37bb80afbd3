/**
 * Answers each turn of a user once, and hands the user over to people on request.
 *
 * The function can be killed at any line: the queue then delivers the event again, and each step can be repeated. If
 * people have handed the user back in the meantime, a repeated handover hands the user over again, so the bot ignores
 * turns that are too old to answer.
 * The request ID is derived from the event's ID, so Parley drops a repeated request.
 *
 * The body must be the same each time: a request with a known ID and another body goes to the dead-letter queue. If your
 * bot words its answers differently each time, store the answer under the event's ID before you queue it.
 *
 * When it sends the answer, Parley refuses it if the user has written again or if the contact is handed over to people.
 */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type ParleyEvent, parseParleyEvent, type SendRequest } from '@parleyhq/parley/events';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { callManagementApi } from '../../management/call-management-api.ts';
import { messageGroupId } from '../../message-group-id.ts';

/** A turn that ended longer ago is not answered, such as one that is redriven from the dead-letter queue. */
const MAX_AGE_MS = 10 * 60 * 1000;

const sqs = new SQSClient();

export const handler = async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
  const results = await Promise.allSettled(
    Records.map(async ({ body }) => {
      const event = parseParleyEvent(body);
      if (event?.['detail-type'] === 'TurnEnded') await answer(event);
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

const answer = async ({ detail }: ParleyEvent<'TurnEnded'>): Promise<void> => {
  const { id, at, contact, platformContactId, messages, content } = detail;
  const reply = replyTo((content?.messages ?? []).map(({ text = '' }) => text).join('\n'));
  if (platformContactId === undefined || reply === undefined) return;
  const expiresAt = Date.parse(at) + MAX_AGE_MS;
  if (Date.now() >= expiresAt) {
    // Make the event a dead letter, because the user is still waiting for a person.
    if (reply.handsOver) throw new Error(`The turn ${id} is too old to answer. Run parley handover for its user.`);
    return console.warn(`The turn ${id} is too old to answer.`);
  }
  const user = { chatPlatform: contact.platform, platformContactId };
  // Hand over first, so that no automated answer follows the one that promises a person.
  if (reply.handsOver) {
    await callManagementApi('POST', '/v1/handovers', { ...user, note: 'The user asked for a person.' });
  }
  const request: SendRequest = {
    ...user,
    requestId: `bot-${id}`,
    messageText: reply.text,
    notAfter: new Date(expiresAt).toISOString(),
    // The answer that promises a person is not automated, so that it is sent after the handover.
    ...(!reply.handsOver && { automated: true, unless: ['userWroteSince'], since: messages.at(-1)?.messageId }),
  };
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.SEND_QUEUE_URL,
      MessageGroupId: messageGroupId(platformContactId),
      MessageDeduplicationId: request.requestId,
      MessageBody: JSON.stringify(request),
    }),
  );
};

const replyTo = (text: string): { readonly text: string; readonly handsOver: boolean } | undefined => {
  if (/\bagent\b/i.test(text)) return { text: 'A colleague will be with you shortly.', handsOver: true };
  if (/\bhours?\b/i.test(text)) return { text: 'We are open from nine to five, Monday to Friday.', handsOver: false };
  return undefined;
};
