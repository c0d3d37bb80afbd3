import { ParleyError } from '../../domain/errors.ts';

/** Keys and certificates are a few kilobytes. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface HttpGetAnswer {
  readonly text: string;
  readonly headers: Headers;
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
 * @throws UnexpectedAnswerError unless the response is a 2xx of bounded size; fetch's own error if there is no response
 */
export const httpGet = async (url: string, timeoutMs: number): Promise<HttpGetAnswer> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
  if (!response.ok) {
    await response.body?.cancel();
    throw new UnexpectedAnswerError(`${url} answered with HTTP ${response.status}.`, response.status);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new UnexpectedAnswerError(`${url} answered with more than ${MAX_ANSWER_BYTES} bytes.`, response.status);
    }
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), headers: response.headers };
};
