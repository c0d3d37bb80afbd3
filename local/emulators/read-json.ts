import type { IncomingMessage } from 'node:http';

/** A request's body as JSON; undefined where it is none. */
export const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
};
