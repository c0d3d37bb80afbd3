import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookReceiver {
  url: string;
  /** Every request so far, oldest first. */
  requests: ReceivedRequest[];
  /** Sets the statuses of the next answers. The last one stays; 0 means no answer. */
  answerWith(...statuses: number[]): void;
}

/** Starts a customer's webhook that records its requests. It closes when the test ends. */
export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const requests: ReceivedRequest[] = [];
  let statuses = [200];
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) });
    const status = (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200;
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
    requests,
    answerWith: (...next) => {
      statuses = next;
    },
  };
};
