import http from 'node:http';
import https from 'node:https';
import { listenLocally } from '../../local/base/listen-locally.ts';

/** What a URL answers. */
export interface ReplacedAnswer {
  /** @default 200 */
  readonly status?: number | undefined;
  readonly body: string;
}

/**
 * Answers every `https.get` of this process, and `http.get` too, from a local server.
 *
 * @param answerTo returns the answer of a URL, or undefined to let the request go there
 */
export const replaceInternet = async (
  answerTo: (url: string) => ReplacedAnswer | undefined,
): Promise<AsyncDisposable> => {
  const answers: ReplacedAnswer[] = [];
  const server = http.createServer((request, response) => {
    const { status = 200, body } = answers[Number(request.url?.slice(1))] ?? { status: 500, body: '' };
    response.writeHead(status).end(body);
  });
  const { url: origin, close } = await listenLocally(server);
  const originals = { http: http.get, https: https.get };
  const replace =
    (original: typeof http.get): typeof http.get =>
    (...request: unknown[]) => {
      const url = String(request[0]);
      // Node.js throws this error too.
      if (url.startsWith('https:') !== (original === originals.https)) throw new Error('ERR_INVALID_PROTOCOL');
      const answer = answerTo(url);
      if (answer === undefined) return Reflect.apply(original, undefined, request);
      return Reflect.apply(originals.http, undefined, [`${origin}/${answers.push(answer) - 1}`, ...request.slice(1)]);
    };
  http.get = replace(originals.http);
  https.get = replace(originals.https);
  return {
    async [Symbol.asyncDispose]() {
      http.get = originals.http;
      https.get = originals.https;
      await close();
    },
  };
};
