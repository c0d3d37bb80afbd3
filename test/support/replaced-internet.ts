import http from 'node:http';
import https from 'node:https';
import { listenLocally } from '../../local/listen-locally.ts';

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
      const answer = answerTo(String(request[0]));
      const [get, url] =
        answer === undefined ? [original, request[0]] : [originals.http, `${origin}/${answers.push(answer) - 1}`];
      return Reflect.apply(get, undefined, [url, ...request.slice(1)]);
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
