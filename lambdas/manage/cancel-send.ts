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
      const sentence = `The send ${requestId} is ${cancellation.state}; only a scheduled one can be cancelled.`;
      return problem(409, 'NOT_CANCELLABLE', sentence);
    }
    const send = cancellation.kind === 'cancelled' ? await sends.readSend(requestId) : undefined;
    return send ? ok(sendView(send)) : sendNotFound(requestId);
  };
