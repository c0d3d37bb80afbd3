import { parseJson } from '../domain/parse-json.ts';
import type * as z from '../domain/schema.ts';
import type { SendRecord } from '../domain/send-record.ts';
import type { ConversationDesk, SendDesk } from '../ports.ts';
import { type Answer, ok, problem } from './answer.ts';
import { type ManagementCall, readQuery } from './input.ts';
import { noQuery } from './requests.ts';
import type { sendResponse } from './responses.ts';

export interface GetSendPorts {
  readonly sends: SendDesk;
  readonly desk: ConversationDesk;
}

/** How a send stands, and what became of its message. */
export const createGetSend =
  ({ sends, desk }: GetSendPorts) =>
  async ({ id, query: raw }: ManagementCall): Promise<Answer> => {
    const query = readQuery(noQuery, raw);
    if (query.kind === 'faulty') return query.answer;
    const send = await sends.readSend(id);
    if (!send) return sendNotFound(id);
    const message = send.messageId === undefined ? undefined : await desk.readMessage(send.messageId);
    const { deliveredAt, readAt, failedAt } = message ?? {};
    return ok({ ...sendView(send), deliveredAt, readAt, failedAt });
  };

export const sendNotFound = (requestId: string): Answer =>
  problem(
    404,
    'SEND_NOT_FOUND',
    `No send has the request id ${requestId}; one that was put on the queue directly is known once it is taken up.`,
  );

/** A send without what is the table's own business. */
export const sendView = ({
  body,
  contact: _,
  claimId: _claim,
  call,
  ...send
}: SendRecord): z.output<typeof sendResponse> => ({
  ...send,
  request: body ? (parseJson(body) ?? body) : undefined,
  endpoint: call?.endpoint,
});
