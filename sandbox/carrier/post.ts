import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { PushRequest } from './push-request.ts';

/** Makes posts over connections of its own. */
export type Poster = {
  /**
   * The HTTP status that a post was answered with; redirects are not followed.
   *
   * @throws Error when there is no answer, or when `signal` ends the wait.
   */
  post(request: PushRequest, signal: AbortSignal): Promise<number>;
  close(): void;
};

/** `fetch` hides informational answers, and 102 is one that acknowledges; hence node:http. */
export const createPoster = (): Poster => {
  const httpAgent = new HttpAgent({ keepAlive: true });
  const httpsAgent = new HttpsAgent({ keepAlive: true });

  const open = (url: string, headers: Record<string, string>, signal: AbortSignal): ClientRequest =>
    new URL(url).protocol === 'https:'
      ? requestHttps(url, { method: 'POST', headers, signal, agent: httpsAgent })
      : requestHttp(url, { method: 'POST', headers, signal, agent: httpAgent });

  return {
    post: ({ url, headers, body }, signal) =>
      new Promise((resolve, reject) => {
        const request = open(url, headers, signal);
        request.on('error', reject);
        request.on('information', ({ statusCode }) => {
          if (statusCode === 102) resolve(statusCode);
        });
        request.on('response', (response) => {
          // The answer's body means nothing, but only a body that was read frees the connection.
          response.on('error', () => undefined).resume();
          resolve(response.statusCode ?? 0);
        });
        request.end(body);
      }),
    close: () => {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
};
