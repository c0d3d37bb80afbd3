import { createServer, type IncomingMessage } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { explainForeignRequest } from '../base/foreign-request.ts';
import { errorBody } from './read-request.ts';

/** A server on 127.0.0.1. */
export interface LocalServer {
  readonly port: number;
  /** Closes the server and its open connections. */
  close(): Promise<void>;
}

export interface LocalServerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** Host names that the server answers to besides its loopback names. */
  readonly allowedHosts: readonly string[];
}

/**
 * Added to every response. Most contain text from users, so a browser must neither guess another type nor execute
 * anything in it. The console's page and the samples have their own policies.
 */
const SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Serves `app` on 127.0.0.1, to this machine's programs and to the server's own pages.
 *
 * @throws Error with a sentence for the user if the port is not available
 */
export const startLocalServer = (app: Hono, { port, allowedHosts }: LocalServerOptions): Promise<LocalServer> => {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const refusal = explainForeignRequest(request.headers, {
      port: request.socket.localPort ?? port,
      allowedHosts,
      isLink: isLinkToPage(request),
    });
    if (refusal === undefined) return void answer(request, response);
    request.resume();
    response.writeHead(403, { 'Content-Type': 'application/json' }).end(JSON.stringify(errorBody(403, refusal)));
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(describeFailure(port, error.code))));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve({ port: typeof address === 'object' && address !== null ? address.port : port, close });
    });
  });
};

/** The console, and click-to-chat links, which are meant for other sites. Opening either changes nothing. */
const LINKED_PATHS = /^\/(?:chat\/[^/]*)?(?:\?|$)/;

const isLinkToPage = ({ method, url = '', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document' &&
  LINKED_PATHS.test(url);

const describeFailure = (port: number, code: string | undefined): string =>
  code === 'EADDRINUSE'
    ? `Port ${port} on 127.0.0.1 is already in use; choose another port.`
    : `The sandbox cannot listen on port ${port} of 127.0.0.1 (${code}); choose another port.`;
