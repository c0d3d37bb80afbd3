import { createServer, type IncomingMessage, type RequestListener, type ServerOptions } from 'node:http';
import { explainForeignRequest } from '../../sandbox/base/foreign-request.ts';
import { type ListeningServer, listenLocally } from './listen-locally.ts';

export interface ServeOptions extends ServerOptions {
  /** Returns the host names that a request may be addressed to besides the loopback names. @default none */
  readonly allowedHosts?: (request: IncomingMessage) => readonly string[];
  /** @default 0, any free port */
  readonly port?: number | undefined;
}

/**
 * Serves HTTP on the loopback interface, only to this machine's programs. Pages of other sites get 403
 * with a message in a format that AWS SDKs and clients of API Gateway can read.
 */
export const serveLocally = (
  answer: RequestListener,
  { allowedHosts = () => [], port, ...options }: ServeOptions = {},
): Promise<ListeningServer> =>
  listenLocally(
    createServer(options, (request, response) => {
      const { localPort = 0 } = request.socket;
      const refusal = explainForeignRequest(request.headers, { port: localPort, allowedHosts: allowedHosts(request) });
      if (refusal === undefined) return answer(request, response);
      request.resume();
      response.writeHead(403, { 'content-type': 'application/json' }).end(foreignRequestBody(refusal));
    }),
    port,
  );

/** Returns the body of a refusal, which AWS SDKs show as an error of this type. */
export const foreignRequestBody = (message: string): string =>
  JSON.stringify({ __type: 'AccessDeniedException', message });
