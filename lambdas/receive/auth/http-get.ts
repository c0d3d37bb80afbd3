import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { ParleyError } from '../../domain/errors.ts';

/** Keys and certificates are a few kilobytes. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface HttpGetAnswer {
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** The server responded, but not with the requested document. */
export class UnexpectedAnswerError extends ParleyError {
  readonly code = 'ERR_UNEXPECTED_ANSWER';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Fetches a small public document. Does not follow redirects, because only the given URL was checked.
 *
 * Uses `node:https`, which the client of DynamoDB has loaded. Loading `fetch` would take a sixth of a cold start.
 *
 * @throws UnexpectedAnswerError unless the response is a 2xx of bounded size; an error of Node.js if there is no response
 */
export const httpGet = async (url: string, timeoutMs: number): Promise<HttpGetAnswer> => {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await readAnswer(url, await open(url, signal));
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
};

const open = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { get } = url.startsWith('https:') ? https : http;
    // Without an agent: a kept connection would be stale by the next fetch, hours later.
    get(url, { signal, agent: false }, resolve).on('error', reject);
  });

const readAnswer = async (url: string, response: IncomingMessage): Promise<HttpGetAnswer> => {
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status > 299) {
    response.destroy();
    throw new UnexpectedAnswerError(`${url} answered with HTTP ${status}.`, status);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new UnexpectedAnswerError(`${url} answered with more than ${MAX_ANSWER_BYTES} bytes.`, status);
    }
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), headers };
};
