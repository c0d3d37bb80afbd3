import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { type ListeningServer, listenLocally } from '../../local/base/listen-locally.ts';

/** A chat service that accepts every message at once and delivers no status. */
export interface ChatAnswers extends ListeningServer {
  /** Returns how many messages were accepted. */
  readonly accepted: () => number;
}

const message = z.object({ platformContactId: z.string() });

/** Returns the id of the n-th message that the service accepts for a contact. */
export const acceptedId = (platformContactId: string, n = 1): string =>
  `sent-${platformContactId.replace(/^\+/, '')}-${n}`;

export const startChatAnswers = async (): Promise<ChatAnswers> => {
  let accepted = 0;
  const byContact = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { platformContactId } = message.parse(await json(request));
    accepted += 1;
    const n = (byContact.get(platformContactId) ?? 0) + 1;
    byContact.set(platformContactId, n);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: acceptedId(platformContactId, n) }));
  });
  return { ...(await listenLocally(server)), accepted: () => accepted };
};
