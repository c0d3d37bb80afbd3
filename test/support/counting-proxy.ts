import { createServer, type IncomingMessage, request } from 'node:http';
import { listenLocally } from '../../local/base/listen-locally.ts';

/** A proxy in front of a local HTTP service that counts calls, and can leave them unanswered. */
export interface CountingProxy {
  readonly url: string;
  /** The calls so far, oldest first, as `nameOf` named them. */
  readonly calls: string[];
  /** Leaves all further calls unanswered, or forwards them again. */
  swallow(isSwallowing: boolean): void;
  close(): Promise<void>;
}

/** Names a call to an AWS service by its operation, such as `UpdateItem`. */
export const awsOperation = ({ headers }: IncomingMessage): string =>
  String(headers['x-amz-target']).split('.').at(-1) ?? '';

export const startCountingProxy = async (target: string, nameOf = awsOperation): Promise<CountingProxy> => {
  const calls: string[] = [];
  let isSwallowing = false;
  const server = createServer((incoming, outgoing) => {
    calls.push(nameOf(incoming));
    if (isSwallowing) return void incoming.resume();
    const { method, url = '/' } = incoming;
    // The local servers answer only requests to their own address.
    const headers = { ...incoming.headers, host: new URL(target).host };
    const forwarded = request(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    calls,
    swallow: (swallow) => {
      isSwallowing = swallow;
    },
    close,
  };
};
