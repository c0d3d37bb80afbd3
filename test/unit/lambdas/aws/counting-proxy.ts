import { createServer, request } from 'node:http';
import { listenLocally } from '../../../../local/listen-locally.ts';

/** Stands before an emulator: counts the calls by operation, and can leave them unanswered as a service in trouble does. */
export interface CountingProxy {
  readonly url: string;
  /** The operations called so far, such as `UpdateItem`. */
  readonly calls: string[];
  /** From now on nothing is answered, or all as before. */
  swallow(swallowing: boolean): void;
  close(): Promise<void>;
}

export const startCountingProxy = async (target: string): Promise<CountingProxy> => {
  const calls: string[] = [];
  let swallowing = false;
  const server = createServer((incoming, outgoing) => {
    calls.push(String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '');
    if (swallowing) return void incoming.resume();
    const { method, headers, url = '/' } = incoming;
    const forwarded = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    calls,
    swallow: (value) => {
      swallowing = value;
    },
    close,
  };
};
