import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';

/** A server on 127.0.0.1. */
export type LocalServer = {
  port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
};

/**
 * Serves `app` on 127.0.0.1, on a free port when `port` is 0.
 *
 * @throws Error with a sentence when the port cannot be had.
 */
export const startLocalServer = (app: Hono, port: number): Promise<LocalServer> => {
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(portSentence(port, error.code))));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve({ port: typeof address === 'object' && address !== null ? address.port : port, close });
    });
  });
};

const portSentence = (port: number, code: string | undefined): string =>
  code === 'EADDRINUSE'
    ? `Port ${port} of 127.0.0.1 is taken; choose another one, or none to get a free one.`
    : `The sandbox cannot listen on port ${port} of 127.0.0.1 (${code}); choose another one.`;
