import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../local/clock/movable-clock.ts';
import { type HttpApi, startHttpApi } from '../../../local/http-api/http-api.ts';
import { matchRoute } from '../../../local/http-api/routes.ts';
import type { InvocationResult } from '../../../local/lambda/function-declaration.ts';

let api: HttpApi | undefined;
afterEach(() => api?.close());

/** An API whose one function answers as given, and remembers its last event. */
const startApi = async (
  answer: unknown | ((event: string) => Promise<InvocationResult>),
  routeKeys: readonly string[] = ['$default'],
  timeoutMs = 10_000,
) => {
  const seen: { event?: unknown } = {};
  const started = await startHttpApi('abc123', 'test', {
    accountId: '000000000000',
    region: 'us-east-1',
    clock: createMovableClock(),
    functionOf: (arn) => async (event) => {
      seen.event = JSON.parse(event);
      if (arn !== 'arn:function') throw new Error(`unexpected ${arn}`);
      return typeof answer === 'function' ? answer(event) : { ok: true, payload: JSON.stringify(answer) };
    },
  });
  api = started;
  started.addStage({ name: '$default', variables: undefined });
  started.addIntegration('one', { functionArn: 'arn:function', timeoutMs });
  for (const routeKey of routeKeys) started.addRoute(routeKey, 'one');
  return { url: started.url, seen };
};

describe("an HTTP API's event", () => {
  // The documentation's example for payload format 2.0, as far as a request without authorizer and client certificate has it.
  it('has the documented form', async () => {
    const { url, seen } = await startApi({ ok: true }, ['POST /my/{name}']);

    await new Promise((resolve, reject) => {
      const sent = request(`${url}/my/pa%20th?parameter1=value1&parameter1=value2&parameter2=a%20b`, {
        method: 'POST',
        headers: {
          Header1: 'value1',
          Header2: ['value1', 'value2'],
          Cookie: 'cookie1=1; cookie2=2',
          'Content-Type': 'application/json',
          'User-Agent': 'agent',
        },
      });
      sent.on('response', (response) => response.resume().on('end', resolve)).on('error', reject);
      sent.end('{"hello":"wörld"}');
    });

    expect(seen.event).toEqual({
      version: '2.0',
      routeKey: 'POST /my/{name}',
      rawPath: '/my/pa th',
      rawQueryString: 'parameter1=value1&parameter1=value2&parameter2=a%20b',
      cookies: ['cookie1=1', 'cookie2=2'],
      headers: {
        'content-length': '18',
        'content-type': 'application/json',
        header1: 'value1',
        header2: 'value1,value2',
        host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        'user-agent': 'agent',
        'x-amzn-trace-id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-port': '443',
        'x-forwarded-proto': 'https',
      },
      queryStringParameters: { parameter1: 'value1,value2', parameter2: 'a b' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'abc123',
        domainName: 'abc123.execute-api.us-east-1.amazonaws.com',
        domainPrefix: 'abc123',
        http: { method: 'POST', path: '/my/pa th', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'agent' },
        requestId: expect.any(String),
        routeKey: 'POST /my/{name}',
        stage: '$default',
        time: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
        timeEpoch: expect.any(Number),
      },
      pathParameters: { name: 'pa th' },
      body: '{"hello":"wörld"}',
      isBase64Encoded: false,
    });
  });

  it.each([
    ['application/json; charset=utf-8', false],
    ['text/plain', false],
    ['application/xml', false],
    ['application/cloudevents+json', true],
    ['application/octet-stream', true],
    ['application/x-www-form-urlencoded', true],
    [undefined, true],
  ])('carries a body of type %s in base64: %s', async (type, isBase64Encoded) => {
    const { url, seen } = await startApi({});
    const bytes = Buffer.from('{"a":1}');

    await fetch(url, { method: 'POST', body: bytes, headers: type ? { 'content-type': type } : {} });

    expect(seen.event).toMatchObject({ isBase64Encoded, body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8') });
  });

  it('leaves out what the request does not have', async () => {
    const { url, seen } = await startApi({});

    await fetch(`${url}/`);

    for (const absent of ['body', 'cookies', 'queryStringParameters', 'pathParameters', 'stageVariables']) {
      expect(seen.event).not.toHaveProperty(absent);
    }
    expect(seen.event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  });
});

describe("an HTTP API's answer", () => {
  it('is what the function says, with cookies and bytes', async () => {
    const { url } = await startApi({
      statusCode: 201,
      headers: { 'X-One': 'a', 'Content-Type': 'image/png' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from([0, 255]).toString('base64'),
      isBase64Encoded: true,
    });

    const answer = await fetch(url);

    expect(answer.status).toBe(201);
    expect([answer.headers.get('x-one'), answer.headers.get('content-type')]).toEqual(['a', 'image/png']);
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([...(await answer.bytes())]).toEqual([0, 255]);
  });

  it.each([
    [{ message: 'hello' }, '{"message":"hello"}'],
    ['hello', 'hello'],
    [[1, 2], '[1,2]'],
  ])('takes %j without a status code as the body of a 200', async (returned, body) => {
    const { url } = await startApi(returned);

    const answer = await fetch(url);

    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/json',
      body,
    ]);
  });

  it.each([
    ['the function fails', async () => ({ ok: false, error: { errorType: 'Error', errorMessage: 'secret' } })],
    ['the body is no text', { statusCode: 200, body: { a: 1 } }],
    ['the status code is none', { statusCode: 'ok' }],
    ['a header is none', { statusCode: 200, headers: { 'a b': 'c' } }],
  ])('is 500 and tells nothing when %s', async (_case, returned) => {
    const { url } = await startApi(returned);

    const answer = await fetch(url);

    expect([answer.status, await answer.json()]).toEqual([500, { message: 'Internal Server Error' }]);
  });

  it('is 404 without a route', async () => {
    const { url } = await startApi({}, ['POST /webhook']);

    const answers = await Promise.all([fetch(`${url}/other`, { method: 'POST' }), fetch(`${url}/webhook`)]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(await answers[0]?.json()).toEqual({ message: 'Not Found' });
  });

  it('is 413 for a body of more than 10 MB', async () => {
    const { url, seen } = await startApi({});

    const answer = await fetch(url, { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) });

    expect([answer.status, await answer.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
    expect(seen.event).toBeUndefined();
  });

  it("is 503 when the function takes longer than the integration's time-out", async () => {
    const { url } = await startApi(() => new Promise(() => undefined), ['$default'], 50);

    const answer = await fetch(url);

    expect([answer.status, await answer.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  });
});

describe('routes', () => {
  const routeKeys = [
    '$default',
    'ANY /pets/{id}',
    'GET /pets/{id}',
    'GET /pets/new',
    'GET /{proxy+}',
    'GET /pets/{id}/toys',
  ];

  it.each([
    ['GET', '/pets/new', 'GET /pets/new', {}],
    ['GET', '/pets/7', 'GET /pets/{id}', { id: '7' }],
    ['PUT', '/pets/7', 'ANY /pets/{id}', { id: '7' }],
    ['GET', '/pets/7/toys', 'GET /pets/{id}/toys', { id: '7' }],
    ['GET', '/pets/7/food', 'GET /{proxy+}', { proxy: 'pets/7/food' }],
    ['POST', '/pets', '$default', {}],
  ])('lead %s %s to %s', (method, path, routeKey, pathParameters) => {
    expect(matchRoute(routeKeys, method, path)).toEqual({ routeKey, pathParameters });
  });

  it('lead nowhere without a fitting one', () => {
    expect(matchRoute(['GET /pets'], 'GET', '/pets/7')).toBeUndefined();
  });
});
