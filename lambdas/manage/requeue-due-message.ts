import { addresseeOf } from '../domain/addressed-request.ts';
import { messageGroup } from '../domain/contact.ts';
import * as z from '../domain/schema.ts';
import { parseDueMessage, parseSendRequest, serializeDueMessage } from '../domain/send-request.ts';
import type { RedrivenMessage, RedriveQueue, SendRepository } from '../ports.ts';
import type { Redriven } from './redrive-run.ts';

export interface RequeueDueMessagePorts {
  readonly sends: Pick<SendRepository, 'read'>;
  readonly send: RedriveQueue;
  /** Undefined in a stage without a bulk queue. */
  readonly bulk: RedriveQueue | undefined;
}

/** The input of a schedule's target: the request to SQS that EventBridge Scheduler could not make. */
const targetInput = z.object({
  QueueUrl: z.optional(z.string()),
  MessageBody: z.string(),
  MessageGroupId: z.optional(z.string()),
});

/**
 * Creates the function that redrives the dead letters of schedules. They are in a standard queue, so the message group
 * comes from the target's input or from the send's contact. A bulk request returns to its own queue.
 */
export const createRequeueDueMessage =
  ({ sends, send, bulk }: RequeueDueMessagePorts) =>
  async ({ id, body, traceparent }: RedrivenMessage): Promise<Redriven> => {
    const input = z.safeParse(targetInput, z.parseJson(body)).data;
    const requestId = parseDueMessage(input?.MessageBody ?? body);
    if (requestId === undefined) return { kind: 'left', why: 'It contains no request ID.' };
    const record = await sends.read(requestId);
    const parsed = parseSendRequest(record?.body ?? '');
    // A request was valid when it was scheduled, so only that of an erased contact cannot be read.
    if (parsed.kind === 'malformed') return { kind: 'obsolete', why: `${requestId} is no longer stored. Deleted.` };
    const groupId = input?.MessageGroupId ?? messageGroup(addresseeOf(parsed.request));
    const queue = bulk !== undefined && input?.QueueUrl === bulk.url ? bulk : send;
    await queue.put({ id, body: serializeDueMessage(requestId), groupId, ...(traceparent && { traceparent }) });
    return { kind: 'done' };
  };
