import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { WebhookRequest } from './webhook-request.ts';

/** Posts webhook requests over its own connections. */
export interface WebhookClient {
  /**
   * Posts a request and resolves to the answer's HTTP status. Does not follow redirects.
   *
   * @throws Error if there is no answer, or if `signal` aborts the request
   */
  post(request: WebhookRequest, signal: AbortSignal): Promise<number>;
  close(): void;
}

/** Uses node:http because `fetch` hides informational answers, and 102 acknowledges. */
export const createWebhookClient = (): WebhookClient => {
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
          // The body is ignored, but the connection can be reused only after it has been read.
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
