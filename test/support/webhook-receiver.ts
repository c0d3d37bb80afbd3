import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type ReceivedPost = { headers: IncomingHttpHeaders; body: string };

export type WebhookReceiver = {
  url: string;
  /** Every post so far, oldest first. */
  posts: ReceivedPost[];
  /** What the posts are answered with, in turn; the last one stays. 0 answers nothing. */
  answerWith(...statuses: number[]): void;
};

/** A customer's webhook: a server that keeps what it gets. It is closed when the test ends. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const posts: ReceivedPost[] = [];
  let answers = [200];
  const server = createServer(async (request, response) => {
    posts.push({ headers: request.headers, body: await text(request) });
    const status = (answers.length > 1 ? answers.shift() : answers[0]) ?? 200;
    if (status === 102) response.writeProcessing();
    else if (status !== 0) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  // The address of a server that listens on a TCP port is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    posts,
    answerWith: (...statuses) => {
      answers = statuses;
    },
  };
};
