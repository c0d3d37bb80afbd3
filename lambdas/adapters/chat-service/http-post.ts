import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { TLSSocket } from 'node:tls';
import { summarizeError } from '../../domain/describe-error.ts';
import type { Ms } from '../../domain/duration.ts';

/** The result of a POST: an answer, or whether any part of the request may have reached the server. */
export type PostResult =
  | {
      readonly kind: 'answered';
      readonly httpStatus: number;
      /** Empty if the body is too large or cannot be decompressed: unreadable, but the HTTP status counts. */
      readonly bodyText: string;
      readonly retryAfter?: string;
      /** The header in which a service says why it refused a token. */
      readonly reasonPhrase?: string;
    }
  | { readonly kind: 'not-sent'; readonly cause: string }
  | { readonly kind: 'unknown'; readonly cause: string };

export interface HttpPostOptions {
  readonly connectTimeoutMs: Ms;
  readonly answerTimeoutMs: Ms;
  /** The limit of an answer, before and after it is decompressed. */
  readonly maxAnswerBytes: number;
  /** When all connections are in use, requests wait for one. The wait counts toward the connect timeout. */
  readonly maxConnections: number;
}

export type HttpPost = (url: URL, headers: Record<string, string>, body: string) => Promise<PostResult>;

/**
 * How long an idle connection can be reused: much less than the few seconds after which services close one. A function
 * may be frozen for minutes between two calls. If the server closes the connection during that time, a request written
 * to it is indistinguishable from a lost one.
 */
const MAX_IDLE_MS = 1_000;

/**
 * Creates a function that sends POST requests from one connection pool, without following redirects. It uses the HTTP
 * client of Node.js, which shows when a request is written to a connected socket: a failure before that is `not-sent`,
 * and a failure after that is `unknown`.
 */
export const createHttpPost = (options: HttpPostOptions): HttpPost => {
  const pool = {
    keepAlive: true,
    maxSockets: options.maxConnections,
    // Closes a connection that is idle while others are in use.
    timeout: MAX_IDLE_MS,
  };
  const agents = { http: new HttpAgent(pool), https: new HttpsAgent(pool) };
  let lastUsedMs = Date.now();
  return (url, headers, body) => {
    if (Date.now() - lastUsedMs > MAX_IDLE_MS) closeIdleSockets(Object.values(agents));
    lastUsedMs = Date.now();
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { method: 'POST', agent: agents.https })
        : httpRequest(url, { method: 'POST', agent: agents.http });
    try {
      request.setHeaders(new Map(Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) })));
    } catch {
      // The error's message could quote the token.
      request.on('error', () => undefined).destroy();
      return Promise.resolve({ kind: 'not-sent', cause: 'A header has a character that HTTP does not allow.' });
    }
    return exchange(request, body, options);
  };
};

const closeIdleSockets = (agents: readonly HttpAgent[]): void => {
  for (const agent of agents) {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }
};

/** Connected sockets. Needed because `reusedSocket` is not set for requests that waited for a free connection. */
const connected = new WeakSet<object>();

const exchange = (request: ClientRequest, body: string, options: HttpPostOptions): Promise<PostResult> =>
  new Promise((resolve) => {
    let isWritten = false;
    let timer = setTimeout(() => fail(`no connection within ${options.connectTimeoutMs} ms`), options.connectTimeoutMs);

    const finish = (result: PostResult) => {
      clearTimeout(timer);
      resolve(result);
    };
    const fail = (cause: string) => {
      finish({ kind: isWritten ? 'unknown' : 'not-sent', cause });
      request.destroy();
    };
    const write = () => {
      clearTimeout(timer);
      timer = setTimeout(() => fail(`no answer within ${options.answerTimeoutMs} ms`), options.answerTimeoutMs);
      isWritten = true;
      request.end(body);
    };

    request.on('error', (error) => fail(summarizeError(error)));
    request.on('socket', (socket) => {
      // Writes the request only after the connection is established, including TLS.
      if (connected.has(socket)) write();
      else {
        socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
          connected.add(socket);
          write();
        });
      }
    });
    request.on('response', (response) => {
      readAnswer(response, options.maxAnswerBytes).then(finish, (error) => fail(summarizeError(error)));
    });
  });

const readAnswer = async (response: IncomingMessage, maxBytes: number): Promise<PostResult> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    // Closes the connection.
    if (bytes > maxBytes) break;
    chunks.push(chunk);
  }
  const { 'content-encoding': encoding, 'retry-after': retryAfter, 'reason-phrase': reasonPhrase } = response.headers;
  return {
    kind: 'answered',
    httpStatus: response.statusCode ?? 0,
    bodyText: bytes > maxBytes ? '' : decompress(Buffer.concat(chunks), encoding, maxBytes).toString('utf8'),
    retryAfter,
    // Node.js joins the values of a repeated header.
    reasonPhrase: reasonPhrase?.toString(),
  };
};

/**
 * Decompresses an answer. Requests offer no compression, because answers are short, but a service or a proxy may
 * compress anyway. Returns an empty body if that fails.
 */
const decompress = (body: Buffer, encoding: string | undefined, maxOutputLength: number): Buffer => {
  if (encoding === undefined) return body;
  // Loaded on first use, which is rare, because it would add to every cold start.
  const { brotliDecompressSync, unzipSync } = process.getBuiltinModule('node:zlib');
  try {
    switch (encoding.toLowerCase()) {
      case 'identity':
        return body;
      case 'gzip':
      case 'x-gzip':
      case 'deflate':
        return unzipSync(body, { maxOutputLength });
      case 'br':
        return brotliDecompressSync(body, { maxOutputLength });
    }
  } catch {
    // Cut off, damaged, or too large.
  }
  return Buffer.alloc(0);
};
