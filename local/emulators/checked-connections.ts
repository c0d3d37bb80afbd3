import { connect, createServer, type Socket } from 'node:net';
import { explainForeignRequest } from '../../sandbox/base/foreign-request.ts';
import { type ListeningServer, listenLocally } from '../base/listen-locally.ts';
import { foreignRequestBody } from '../base/serve-locally.ts';

/** The address of a program that does not check requests itself. */
export interface UncheckedAddress {
  readonly host: string;
  readonly port: number;
}

const HEADERS_LIMIT_BYTES = 64 * 1024;
const END_OF_HEADERS = '\r\n\r\n';

/**
 * Listens on the loopback interface, and forwards connections from programs, but not from browsers, to another program.
 *
 * Only the first request of a connection is read: parsing and forwarding every request would take three times as long.
 * Browsers are refused completely, so that no page can send a second request on a checked connection.
 */
export const startCheckedConnections = async (target: UncheckedAddress, port?: number): Promise<ListeningServer> => {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    keep(client);
    let received = Buffer.alloc(0);
    const readHeaders = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(END_OF_HEADERS);
      if (end < 0 && received.length <= HEADERS_LIMIT_BYTES) return;
      client.off('data', readHeaders).pause();
      const refusal = explainRefusal(received.subarray(0, Math.max(end, 0)).toString('latin1'), client.localPort ?? 0);
      if (refusal !== undefined) return void refuse(client, refusal);
      const program = keep(connect({ ...target, noDelay: true }));
      program.write(received);
      // Each side ends when the other does, so that clients notice stale connections.
      client.pipe(program).once('close', () => client.destroy());
      program.pipe(client).once('close', () => program.destroy());
    };
    client.on('data', readHeaders);
  });
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // An error is followed by `close`.
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const listening = await listenLocally(server, port);
  const close = async (): Promise<void> => {
    const closed = listening.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { ...listening, close, [Symbol.asyncDispose]: close };
};

const explainRefusal = (head: string, port: number): string | undefined => {
  const headers = new Map(
    head.split('\r\n').flatMap((line) => {
      const [, name = '', value = ''] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
      return name === '' ? [] : [[name.toLowerCase(), value] as const];
    }),
  );
  if (headers.has('origin') || headers.has('sec-fetch-site')) {
    return 'This server answers only programs, not browsers. Use an AWS SDK or the AWS CLI.';
  }
  return explainForeignRequest({ host: headers.get('host') }, { port });
};

const refuse = (client: Socket, message: string): void => {
  const body = foreignRequestBody(message);
  const head = [
    'HTTP/1.1 403 Forbidden',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  client.end(`${head.join('\r\n')}${END_OF_HEADERS}${body}`);
  // The rest of the request is read and dropped. Otherwise, the connection would be reset before the client reads this.
  client.resume();
};
