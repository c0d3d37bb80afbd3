import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpPost } from '../../../../../lambdas/adapters/chat-service/http-post.ts';
import { ms } from '../../../../../lambdas/domain/duration.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `127.0.0.1:${port}`;
};
const serve = async (listener: RequestListener): Promise<URL> =>
  new URL(`http://${await listen(createServer(listener))}/path`);

const post = createHttpPost({
  connectTimeoutMs: ms(2_000),
  answerTimeoutMs: ms(300),
  maxAnswerBytes: 1_000,
  maxConnections: 10,
});
const send = (url: URL) => post(url, { 'content-type': 'application/json', 'access-token': 'secret' }, '{"text":"ñ"}');

describe('a POST that is answered', () => {
  it('returns status, body, and Retry-After, and sends headers and body unchanged', async () => {
    const received: unknown[] = [];
    const url = await serve(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push(request.method, request.url, request.headers['access-token'], Buffer.concat(chunks).toString());
      response.writeHead(503, { 'retry-after': '7' }).end('busy');
    });
    expect(await send(url)).toEqual({ kind: 'answered', httpStatus: 503, bodyText: 'busy', retryAfter: '7' });
    expect(received).toEqual(['POST', '/path', 'secret', '{"text":"ñ"}']);
  });

  it('leaves its connection open for the next one', async () => {
    const ports = new Set();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    await send(url);
    await send(url);
    expect(ports.size).toBe(1);
  });

  it('shares at most maxConnections connections with others', async () => {
    const ports = new Set();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const bounded = createHttpPost({
      connectTimeoutMs: ms(5_000),
      answerTimeoutMs: ms(5_000),
      maxAnswerBytes: 10,
      maxConnections: 2,
    });
    const results = await Promise.all(Array.from({ length: 8 }, () => bounded(url, {}, '{}')));
    expect(results.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(ports.size).toBe(2);
  });

  it.each([
    ['for more than a second, because the service may close it any time after that', 1_001],
    ['while the function was frozen', 60_000],
  ])('does not reuse a connection that was idle %s', async (_case, idleMs) => {
    const ports = new Set();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    await send(url);
    const later = Date.now() + idleMs;
    const frozen = vi.spyOn(Date, 'now').mockReturnValue(later);
    open.push(() => frozen.mockRestore());
    await send(url);
    expect(ports.size).toBe(2);
  });

  it('does not follow a redirect, which could take the token elsewhere', async () => {
    const url = await serve((_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end());
    expect(await send(url)).toMatchObject({ kind: 'answered', httpStatus: 307 });
  });
});

describe('an answer that is larger than maxAnswerBytes', () => {
  it.each(['all at once', 'endlessly'])('is empty, and its status counts: sent %s', async (how) => {
    const url = await serve((_request, response) => {
      response.writeHead(202);
      if (how === 'all at once') response.end('x'.repeat(1_001));
      else response.write('x'.repeat(1_001));
    });
    expect(await send(url)).toMatchObject({ kind: 'answered', httpStatus: 202, bodyText: '' });
  });

  it('may have as many bytes', async () => {
    const url = await serve((_request, response) => response.end('x'.repeat(1_000)));
    expect(await send(url)).toMatchObject({ bodyText: 'x'.repeat(1_000) });
  });
});

describe('an answer that is compressed although the request did not offer it', () => {
  const answerWith = (encoding: string, body: Buffer, status = 200) =>
    serve((_request, response) => response.writeHead(status, { 'content-encoding': encoding }).end(body));
  const text = JSON.stringify({ id: 'ñ' });

  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('is decompressed: %s', async (encoding, body) => {
    expect(await send(await answerWith(encoding, body))).toMatchObject({ httpStatus: 200, bodyText: text });
  });

  it.each([
    ['gzip that is cut off', 'gzip', gzipSync(text).subarray(0, -9)],
    ['gzip that is damaged', 'gzip', Buffer.from('{"id":"1"}')],
    ['a large answer in a small one', 'gzip', gzipSync('x'.repeat(1_001))],
    ['a large answer in a small one, in brotli', 'br', brotliCompressSync('x'.repeat(1_001))],
    ['several compressions', 'gzip, gzip', gzipSync(gzipSync(text))],
    ['an unknown compression', 'dcb', Buffer.from(text)],
    ['nothing', 'gzip', Buffer.alloc(0)],
  ])('is empty if it cannot be decompressed, and its status counts: %s', async (_case, encoding, body) => {
    expect(await send(await answerWith(encoding, body, 202))).toMatchObject({
      kind: 'answered',
      httpStatus: 202,
      bodyText: '',
    });
  });

  it('is not offered', async () => {
    const offered: unknown[] = [];
    const url = await serve((request, response) => {
      offered.push(request.headers['accept-encoding']);
      response.end('{}');
    });
    await send(url);
    expect(offered).toEqual([undefined]);
  });
});

describe('a POST returns not-sent', () => {
  it('when the connection is refused', async () => {
    const address = await listen(createServer());
    for (const close of open.splice(0)) close();
    expect(await send(new URL(`http://${address}/`))).toMatchObject({ kind: 'not-sent' });
  });

  it('when the host has no address', async () => {
    expect(await send(new URL('http://no-such-host.invalid/'))).toMatchObject({ kind: 'not-sent' });
  });

  it('when the TLS connection fails', async () => {
    const url = await serve((_request, response) => response.end());
    expect(await send(new URL(`https://${url.host}/`))).toMatchObject({ kind: 'not-sent' });
  });

  it('when no connection becomes free in time', async () => {
    const url = await serve(() => undefined);
    const narrow = createHttpPost({
      connectTimeoutMs: ms(100),
      answerTimeoutMs: ms(400),
      maxAnswerBytes: 10,
      maxConnections: 1,
    });
    const results = await Promise.all([narrow(url, {}, '{}'), narrow(url, {}, '{}')]);
    expect(results.map(({ kind }) => kind)).toEqual(['unknown', 'not-sent']);
  });

  it('when a header has characters that HTTP does not allow', async () => {
    const url = await serve((_request, response) => response.end());
    expect(await post(url, { 'access-token': 'to\u200bken' }, '{}')).toEqual({
      kind: 'not-sent',
      cause: 'A header has a character that HTTP does not allow.',
    });
  });

  it('when the TLS handshake does not finish in time', async () => {
    const impatient = createHttpPost({
      connectTimeoutMs: ms(200),
      answerTimeoutMs: ms(5_000),
      maxAnswerBytes: 10,
      maxConnections: 10,
    });
    const silent = createTcpServer((socket) => open.push(() => socket.destroy()));
    const address = await listen(silent);
    expect(await impatient(new URL(`https://${address}/`), {}, '{}')).toEqual({
      kind: 'not-sent',
      cause: 'no connection within 200 ms',
    });
  });
});

describe('a POST returns unknown', () => {
  it('when no answer arrives in time', async () => {
    const url = await serve(() => undefined);
    expect(await send(url)).toEqual({ kind: 'unknown', cause: 'no answer within 300 ms' });
  });

  it('when the connection is reset before the answer', async () => {
    const url = await serve((request) => request.socket.resetAndDestroy());
    expect(await send(url)).toMatchObject({ kind: 'unknown' });
  });

  it('when the answer is cut off', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"id"', () => request.socket.resetAndDestroy());
    });
    expect(await send(url)).toMatchObject({ kind: 'unknown' });
  });

  it('when the answer is not HTTP', async () => {
    const address = await listen(createTcpServer((socket) => socket.once('data', () => socket.end('hello\r\n\r\n'))));
    expect(await send(new URL(`http://${address}/`))).toMatchObject({ kind: 'unknown' });
  });
});
