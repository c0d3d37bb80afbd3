import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';

/** A server on 127.0.0.1. */
export type LocalServer = {
  port: number;
  /** Closes the server and its open connections. */
  close(): Promise<void>;
};

/**
 * Serves `app` on 127.0.0.1; port 0 selects a free port.
 *
 * @throws Error with a sentence for the user if the port is not available
 */
export const startLocalServer = (app: Hono, port: number): Promise<LocalServer> => {
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
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

const describeFailure = (port: number, code: string | undefined): string =>
  code === 'EADDRINUSE'
    ? `Port ${port} on 127.0.0.1 is already in use; choose another port.`
    : `The sandbox cannot listen on port ${port} of 127.0.0.1 (${code}); choose another port.`;
