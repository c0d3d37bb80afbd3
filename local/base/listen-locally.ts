import { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import { LocalError, messageOf } from './local-error.ts';

/** A server that listens on the loopback interface. */
export interface ListeningServer extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops the server and closes every connection to it, if it is an HTTP server. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a server on the loopback interface.
 *
 * @param port The port, or 0 for any free port.
 * @throws LocalError if the port is taken.
 */
export const listenLocally = async (server: Server, port = 0): Promise<ListeningServer> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new LocalError(`Cannot listen on port ${port}: ${messageOf(error)}`)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('Expected a TCP server with an address and a port.');
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      if (server instanceof HttpServer) server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, close, [Symbol.asyncDispose]: close };
};
