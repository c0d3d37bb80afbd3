import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../../local/base/clock.ts';
import type { InvocationResult } from '../../../../local/functions/invocation.ts';
import { type HttpApi, startHttpApi } from '../../../../local/http-api/http-api.ts';

let api: HttpApi | undefined;
afterEach(() => api?.close());

/** Starts an API with one function that returns the given result; `seen` holds its last event. */
const startApi = async (
  result: unknown | ((event: string) => Promise<InvocationResult>),
  routeKeys: readonly string[] = ['$default'],
  timeoutMs = 10_000,
) => {
  const seen: { event?: unknown } = {};
  const started = await startHttpApi('abc123', 'test', {
    clock: createMovableClock(),
    functionOf: (arn) => async (event) => {
      seen.event = JSON.parse(event);
      if (arn !== 'arn:function') throw new Error(`unexpected ${arn}`);
      return typeof result === 'function' ? result(event) : { ok: true, payload: JSON.stringify(result) };
    },
  });
  api = started;
  started.addStage({ name: '$default', variables: undefined });
  started.addIntegration('one', { functionArn: 'arn:function', timeoutMs });
  for (const routeKey of routeKeys) started.addRoute(routeKey, 'one');
  return { url: started.url, seen };
};

describe('a throttled HTTP API', () => {
  it('answers 429 to what exceeds its burst, without invoking the function', async () => {
    const clock = createMovableClock();
    let invocations = 0;
    const started = await startHttpApi('abc123', 'test', {
      clock,
      functionOf: () => async () => {
        invocations += 1;
        return { ok: true, payload: '{"statusCode":200}' };
      },
    });
    api = started;
    // One request an hour: no token is added while the test runs.
    started.addStage({ name: '$default', variables: undefined, throttle: { requestsPerSecond: 1 / 3600, burst: 2 } });
    started.addIntegration('one', { functionArn: 'arn:function', timeoutMs: 10_000 });
    started.addRoute('$default', 'one');

    const statuses: number[] = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await fetch(started.url)).status);

    expect(statuses).toEqual([200, 200, 429]);
    expect(invocations).toBe(2);
  });
});

describe("an HTTP API's event", () => {
  // The documentation's example for payload format 2.0, without the fields of authorizers and client certificates.
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
      sent.on('response', (incoming) => incoming.resume().on('end', resolve)).on('error', reject);
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
        domainName: 'abc123.execute-api.local.amazonaws.com',
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

  it('cuts the path at a decoded question mark, as HTTP APIs are reported to do', async () => {
    const { url, seen } = await startApi({}, ['POST /my/{name}']);

    await fetch(`${url}/my/what%3Fis%3D1?parameter1=a%3Fb`, { method: 'POST' });

    expect(seen.event).toMatchObject({
      rawPath: '/my/what',
      pathParameters: { name: 'what' },
      queryStringParameters: { parameter1: 'a?b' },
    });
  });

  it('omits the fields that the request lacks', async () => {
    const { url, seen } = await startApi({});

    await fetch(`${url}/`);

    for (const absent of ['body', 'cookies', 'queryStringParameters', 'pathParameters', 'stageVariables']) {
      expect(seen.event).not.toHaveProperty(absent);
    }
    expect(seen.event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  });
});

describe("an HTTP API's response", () => {
  it('is that of the function, with cookies and bytes', async () => {
    const { url } = await startApi({
      statusCode: 201,
      headers: { 'X-One': 'a', 'Content-Type': 'image/png' },
      cookies: ['a=1', 'b=2'],
      body: Buffer.from([0, 255]).toString('base64'),
      isBase64Encoded: true,
    });

    const response = await fetch(url);

    expect(response.status).toBe(201);
    expect([response.headers.get('x-one'), response.headers.get('content-type')]).toEqual(['a', 'image/png']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([...(await response.bytes())]).toEqual([0, 255]);
  });

  it.each([
    [{ message: 'hello' }, '{"message":"hello"}'],
    ['hello', 'hello'],
    [[1, 2], '[1,2]'],
  ])('uses %j without a status code as the body of a 200', async (returned, body) => {
    const { url } = await startApi(returned);

    const response = await fetch(url);

    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      body,
    ]);
  });

  it.each([
    ['the function fails', async () => ({ ok: false, error: { errorType: 'Error', errorMessage: 'secret' } })],
    ['the body is not a string', { statusCode: 200, body: { a: 1 } }],
    ['the status code is not a number', { statusCode: 'ok' }],
    ['a header is invalid', { statusCode: 200, headers: { 'a b': 'c' } }],
  ])('is 500 without details when %s', async (_case, returned) => {
    const { url } = await startApi(returned);

    const response = await fetch(url);

    expect([response.status, await response.json()]).toEqual([500, { message: 'Internal Server Error' }]);
  });

  it('is 404 without a route', async () => {
    const { url } = await startApi({}, ['POST /webhook']);

    const responses = await Promise.all([fetch(`${url}/other`, { method: 'POST' }), fetch(`${url}/webhook`)]);

    expect(responses.map(({ status }) => status)).toEqual([404, 404]);
    expect(await responses[0]?.json()).toEqual({ message: 'Not Found' });
  });

  it('is 413 for a body of more than 10 MB', async () => {
    const { url, seen } = await startApi({});

    const response = await fetch(url, { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) });

    expect([response.status, await response.json()]).toEqual([413, { message: 'Request Entity Too Large' }]);
    expect(seen.event).toBeUndefined();
  });

  it("is 503 when the function exceeds the integration's timeout", async () => {
    const { url } = await startApi(() => new Promise(() => undefined), ['$default'], 50);

    const response = await fetch(url);

    expect([response.status, await response.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  });
});
