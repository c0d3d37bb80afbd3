import type { Cancellation } from '../cancel-scheduled-send.ts';
import type { SendDesk } from '../ports.ts';
import { type Answer, ok, problem } from './answer.ts';
import { sendNotFound, sendView } from './get-send.ts';
import { type ManagementCall, readBody } from './input.ts';
import { cancellationRequest } from './requests.ts';

export interface CancelSendPorts {
  readonly cancelScheduledSend: (requestId: string) => Promise<Cancellation>;
  readonly sends: Pick<SendDesk, 'readSend'>;
}

/** Cancels a send that waits for its time. Repeating it is answered like the first. */
export const createCancelSend =
  ({ cancelScheduledSend, sends }: CancelSendPorts) =>
  async ({ bodyText }: ManagementCall): Promise<Answer> => {
    const body = readBody(cancellationRequest, bodyText);
    if (body.kind === 'faulty') return body.answer;
    const { requestId } = body.value;
    const cancellation = await cancelScheduledSend(requestId);
    if (cancellation.kind === 'too-late') {
      return notCancellable(requestId, `is ${cancellation.state}; only a scheduled one can be cancelled`);
    }
    const send = await sends.readSend(requestId);
    if (send === undefined) return sendNotFound(requestId);
    return cancellation.kind === 'cancelled'
      ? ok(sendView(send))
      : notCancellable(requestId, 'has not been taken from the queue yet; repeat the call in a moment');
  };

const notCancellable = (requestId: string, why: string): Answer =>
  problem(409, 'NOT_CANCELLABLE', `The send ${requestId} ${why}.`);
