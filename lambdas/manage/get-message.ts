import type { ConversationDesk } from '../ports.ts';
import { type Answer, ok, problem } from './answer.ts';
import { type ManagementCall, readQuery } from './input.ts';
import { noQuery } from './requests.ts';

/** A message with its statuses. */
export const createGetMessage =
  ({ desk }: { readonly desk: ConversationDesk }) =>
  async ({ id, query: raw }: ManagementCall): Promise<Answer> => {
    const query = readQuery(noQuery, raw);
    if (query.kind === 'faulty') return query.answer;
    const message = await desk.readMessage(id);
    return message ? ok(message) : problem(404, 'MESSAGE_NOT_FOUND', `No message has the id ${id}.`);
  };
