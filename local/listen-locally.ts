import type { Server } from 'node:http';
import { LocalError, messageOf } from './local-error.ts';

/** A server that listens on the loopback interface. */
export interface ListeningServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Ends the server and every connection to it. */
  readonly close: () => Promise<void>;
}

/** Lets a server listen on a free port of the loopback interface, or on the one given. @throws LocalError when it is taken. */
export const listenLocally = async (server: Server, port = 0): Promise<ListeningServer> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new LocalError(`Nothing can listen on port ${port}: ${messageOf(error)}`)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has an address and a port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
