import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpGet, UnexpectedAnswerError } from '../../../../../lambdas/receive/auth/http-get.ts';
import { type ListeningServer, listenLocally } from '../../../../../local/base/listen-locally.ts';

let server: Server;
let listening: ListeningServer;
const requested: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requested.push(request.url ?? '');
    if (request.url === '/redirect') response.writeHead(302, { location: '/document' }).end();
    else if (request.url === '/missing') response.writeHead(404).end('no');
    else if (request.url === '/large') response.end('x'.repeat(256 * 1024 + 1));
    else if (request.url === '/document') response.writeHead(200, { 'cache-control': 'max-age=7' }).end('a key');
    // Any other request is never answered.
  });
  listening = await listenLocally(server);
});
afterAll(() => listening.close());

describe('httpGet', () => {
  it('returns a document with its headers', async () => {
    const { text, headers } = await httpGet(`${listening.url}/document`, 5000);
    expect([text, headers['cache-control']]).toEqual(['a key', 'max-age=7']);
  });

  it.each([
    ['/redirect', 302],
    ['/missing', 404],
    ['/large', 200],
  ])('throws an UnexpectedAnswerError with the status for %s', async (path, status) => {
    const failed = await httpGet(`${listening.url}${path}`, 5000).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UnexpectedAnswerError);
    expect(failed).toMatchObject({ status });
  });

  it('does not follow a redirect', async () => {
    requested.length = 0;
    await httpGet(`${listening.url}/redirect`, 5000).catch(() => undefined);
    expect(requested).toEqual(['/redirect']);
  });

  it('gives up when there is no answer within the timeout', async () => {
    const arrived = once(server, 'request');
    const failed = httpGet(`${listening.url}/never`, 100).catch((error: unknown) => error);
    await arrived;
    expect(await failed).toMatchObject({ name: 'TimeoutError' });
  });
});
