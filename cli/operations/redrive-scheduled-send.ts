import { z } from 'zod';
import { messageGroup } from '../../lambdas/domain/contact.ts';
import { parseJson } from '../../lambdas/domain/schema.ts';
import { parseDueMessage, serializeDueMessage } from '../../lambdas/domain/send-request.ts';
import type { DeadLetter } from './dead-letter-queue.ts';
import { type ManagementClient, ManagementError } from './management-client.ts';
import type { Redriven, RedriveOptions } from './redrive.ts';
import { resourcePath } from './resource-path.ts';

/** The input of a schedule's target: the request to SQS that EventBridge Scheduler could not make. */
const sendMessageInput = z.object({
  QueueUrl: z.string().optional(),
  MessageBody: z.string(),
  MessageGroupId: z.string().optional(),
});

const scheduledSend = z.object({ request: z.object({ platformContactId: z.string() }).optional() });

/**
 * Creates the function that prepares the dead letters of schedules for a redrive. They are in a standard queue, so the
 * message group comes from the target's input or from the send's contact. A bulk request returns to its own queue.
 *
 * @param bulkSendQueueUrl undefined in a stage without a bulk queue
 */
export const createRedriveScheduledSend =
  (api: ManagementClient, bulkSendQueueUrl?: string): NonNullable<RedriveOptions['prepare']> =>
  async ({ body, messageId }: DeadLetter): Promise<Redriven> => {
    const input = sendMessageInput.safeParse(parseJson(body)).data;
    const requestId = parseDueMessage(input?.MessageBody ?? body);
    if (requestId === undefined) {
      return { kind: 'leave', why: `Dead letter ${messageId} contains no request ID, so it cannot be redriven.` };
    }
    const send = await readSend(api, requestId);
    if (send === undefined) {
      const why = `Request ${requestId} is no longer stored, so there is nothing to send. Its dead letter was deleted.`;
      return { kind: 'delete', why };
    }
    if (send.request === undefined) {
      const why = `The contact of request ${requestId} was erased, so there is nothing to send. Its dead letter was deleted.`;
      return { kind: 'delete', why };
    }
    const groupId = input?.MessageGroupId ?? messageGroup(send.request.platformContactId);
    const destinationUrl = input?.QueueUrl === bulkSendQueueUrl ? bulkSendQueueUrl : undefined;
    return { kind: 'move', body: serializeDueMessage(requestId), groupId, destinationUrl };
  };

const readSend = async (
  api: ManagementClient,
  requestId: string,
): Promise<z.output<typeof scheduledSend> | undefined> => {
  try {
    return scheduledSend.parse(await api('GET', resourcePath('sends', 'requestId', requestId)));
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'SEND_NOT_FOUND') return undefined;
    throw error;
  }
};
