import { messageGroup } from '../domain/message-group.ts';
import { parseJson } from '../domain/parse-json.ts';
import { readSendRequest } from '../domain/send-request.ts';
import type { QueuedSend } from '../domain/send-state.ts';
import type { Clock, SendDesk, SendQueue } from '../ports.ts';
import { type Answer, accepted, problem } from './answer.ts';
import { type ContactNaming, contactOf } from './contact-of.ts';
import type { ManagementCall } from './input.ts';

export interface EnqueueSendPorts extends ContactNaming {
  readonly sends: SendDesk;
  readonly queue: SendQueue;
  readonly clock: Clock;
}

/** These will not be sent again, however often they are queued. */
const ENDED: readonly string[] = ['accepted', 'cancelled', 'refused', 'rejected', 'expired', 'uncertain'];

/**
 * Puts a request on the send queue, checked as the queue's consumer checks it. Its id is noted first, so that the same id
 * with another body is refused here and not found on the dead-letter queue later.
 */
export const createEnqueueSend =
  (ports: EnqueueSendPorts) =>
  async ({ bodyText }: ManagementCall): Promise<Answer> => {
    if (parseJson(bodyText) === undefined) return problem(400, 'INVALID_REQUEST', 'The body is not JSON.');
    const read = readSendRequest(bodyText);
    if (read.kind === 'malformed') return problem(400, 'INVALID_REQUEST', read.explanation);
    const { request } = read;
    const { sends, queue, clock } = ports;
    const { requestId } = request;
    const send: QueuedSend = {
      request,
      // Written anew, so that white space and the order of fields make no other request of it.
      body: JSON.stringify(request),
      contact: contactOf(ports, request),
      groupId: messageGroup(request.platformContactId),
      deduplicationId: requestId,
    };
    const registered = await sends.register(send, clock.now());
    if (registered.kind === 'reused') {
      return problem(
        409,
        'REQUEST_ID_REUSED',
        `A request with the id ${requestId} and another body came before; give this one an id of its own.`,
      );
    }
    const state = registered.kind === 'known' ? registered.state : 'queued';
    if (!ENDED.includes(state)) await queue.put(send);
    return accepted({ requestId, state });
  };
