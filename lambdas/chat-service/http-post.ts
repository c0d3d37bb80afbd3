import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { TLSSocket } from 'node:tls';

/** What came of a POST: an answer, or whether anything of the request can have reached the other side. */
export type PostResult =
  | { readonly kind: 'answered'; readonly httpStatus: number; readonly bodyText: string; readonly retryAfter?: string }
  | { readonly kind: 'not-sent'; readonly cause: string }
  | { readonly kind: 'unknown'; readonly cause: string };

export interface HttpPostOptions {
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly maxAnswerBytes: number;
  /** A further request waits for one of them, as part of its time to connect. */
  readonly maxConnections: number;
}

export type HttpPost = (url: URL, headers: Record<string, string>, body: string) => Promise<PostResult>;

/**
 * A connection that has been idle for longer is not used again: a function may be frozen for minutes between two calls,
 * in which the other side hangs up, and a request written to such a connection could not be told from one that was lost.
 */
const MAX_IDLE_MS = 4_000;

/**
 * POSTs over node's own HTTP client and one pool of connections, because it tells when a request's bytes are handed to a connected socket: before
 * that a failure means "not sent", after it "unknown". Redirects are not followed.
 */
export const createHttpPost = (options: HttpPostOptions): HttpPost => {
  const pool = {
    keepAlive: true,
    maxSockets: options.maxConnections,
    // Ends a connection that was idle for so long while others were used; in use, it has time-outs of its own here.
    timeout: MAX_IDLE_MS,
  };
  const agents = { http: new HttpAgent(pool), https: new HttpsAgent(pool) };
  let lastUsedMs = Date.now();
  return (url, headers, body) => {
    if (Date.now() - lastUsedMs > MAX_IDLE_MS) dropIdleSockets(Object.values(agents));
    lastUsedMs = Date.now();
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { method: 'POST', agent: agents.https })
        : httpRequest(url, { method: 'POST', agent: agents.http });
    try {
      request.setHeaders(new Map(Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) })));
    } catch {
      // A token with a character that no header may have; not the error's own words, which could quote it.
      request.on('error', () => undefined).destroy();
      return Promise.resolve({ kind: 'not-sent', cause: 'A header holds a character that HTTP does not take.' });
    }
    return exchange(request, body, options);
  };
};

const dropIdleSockets = (agents: readonly HttpAgent[]): void => {
  for (const agent of agents) {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }
};

/** Connections that stand. Not `reusedSocket`, which is not set for a request that waited for a connection to be free. */
const standing = new WeakSet<object>();

const exchange = (request: ClientRequest, body: string, options: HttpPostOptions): Promise<PostResult> =>
  new Promise((resolve) => {
    let isWritten = false;
    let timer = setTimeout(() => fail(`no connection within ${options.connectTimeoutMs} ms`), options.connectTimeoutMs);

    const settle = (result: PostResult) => {
      clearTimeout(timer);
      resolve(result);
    };
    const fail = (cause: string) => {
      settle({ kind: isWritten ? 'unknown' : 'not-sent', cause });
      request.destroy();
    };
    const write = () => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(`no answer within ${options.answerTimeoutMs} ms`), options.answerTimeoutMs);
      isWritten = true;
      request.end(body);
    };

    request.on('error', (error) => fail(describe(error)));
    request.on('socket', (socket) => {
      // The request is held back until the connection stands, TLS included, so that nothing is written before.
      if (standing.has(socket)) write();
      else {
        socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
          standing.add(socket);
          write();
        });
      }
    });
    request.on('response', (response) => {
      readAnswer(response, options.maxAnswerBytes).then(settle, (error) => fail(describe(error)));
    });
  });

const readAnswer = async (response: IncomingMessage, maxBytes: number): Promise<PostResult> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
  }
  return {
    kind: 'answered',
    httpStatus: response.statusCode ?? 0,
    bodyText: Buffer.concat(chunks).toString('utf8'),
    retryAfter: response.headers['retry-after'],
  };
};

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? `${error.code}: ${error.message}` : error.message;
};
