import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy before an HTTP service of this machine that counts what passes. */
export interface CountingProxy {
  readonly url: string;
  /** The passes so far, oldest first, by the name that `nameOf` gave. */
  readonly passed: string[];
  close(): Promise<void>;
}

export const startCountingProxy = async (
  target: string,
  nameOf: (incoming: IncomingMessage) => string,
): Promise<CountingProxy> => {
  const passed: string[] = [];
  const server = createServer((incoming, outgoing) => {
    passed.push(nameOf(incoming));
    const { method, headers, url } = incoming;
    const onward = request(new URL(url ?? '/', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a TCP port has an object for its address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

/** The action of a call to an AWS service that speaks JSON. */
export const awsAction = ({ headers }: IncomingMessage): string =>
  String(headers['x-amz-target']).split('.').at(-1) ?? '';
