import { request as httpRequest } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, describe, expect, it } from 'vitest';
import { createSignedFetch, type SigningCredentials } from '../../../../cli/operations/signed-fetch.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { type HttpApi, startHttpApi } from '../../../../local/http-api/http-api.ts';

const KEYS: SigningCredentials = { accessKeyId: 'local', secretAccessKey: 'secret' };

let api: HttpApi | undefined;
afterEach(() => api?.close());

const startApi = async (clock = createMovableClock()) => {
  const seen: { event?: unknown } = {};
  api = await startHttpApi('abc123', 'test', {
    clock,
    credentials: KEYS,
    functionOf: () => async (event) => {
      seen.event = JSON.parse(event);
      return { ok: true, payload: '{"statusCode":200,"body":"in"}' };
    },
  });
  api.addStage({ name: '$default', variables: undefined });
  api.addIntegration('one', { functionArn: 'arn:function', timeoutMs: 10_000 });
  api.addRoute('POST /v1/sends', 'one', 'AWS_IAM');
  api.addRoute('GET /v1/contacts/{id+}', 'one', 'AWS_IAM');
  api.addRoute('POST /webhook', 'one');
  return { url: api.url, seen };
};

/** Returns the headers of a signed request; each test changes one thing. */
const signedHeaders = async (
  url: URL,
  given: {
    method?: string;
    body?: string;
    keys?: SigningCredentials;
    service?: string;
    region?: string;
    date?: Date;
  } = {},
) => {
  const {
    method = 'POST',
    body = '{}',
    keys = KEYS,
    service = 'execute-api',
    region = 'local',
    date = new Date(),
  } = given;
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256 });
  const signed = await signer.sign(
    { method, protocol: 'http:', hostname: url.hostname, path: url.pathname, headers: { host: url.host }, body },
    { signingDate: date },
  );
  return signed.headers;
};

const post = (url: URL, headers: Record<string, string>, body = '{}') =>
  new Promise<readonly [number | undefined, string]>((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve([response.statusCode, text]));
    });
    request.on('error', reject).end(body);
  });

const FORBIDDEN = [403, '{"message":"Forbidden"}'];

describe('a route with IAM authorization', () => {
  it('accepts a signed request and passes the signer to the function', async () => {
    const { url, seen } = await startApi();
    const fetched = createSignedFetch({ region: 'local', credentials: async () => KEYS }, 10_000);
    const paths = [
      '/v1/contacts/%2B549',
      '/v1/contacts/a%2Fb%20c%23%25?limit=1&cursor=a%2Bb%3D&b=',
      '/v1/contacts/a..b/./c',
    ];
    for (const path of paths) {
      expect([path, (await fetched('GET', new URL(`${url}${path}`))).status]).toEqual([path, 200]);
    }
    expect((await fetched('POST', new URL(`${url}/v1/sends`), '{"text":"ü"}')).status).toBe(200);
    expect(seen.event).toMatchObject({
      body: '{"text":"ü"}',
      requestContext: { authorizer: { iam: { userArn: 'arn:aws:iam::000000000000:user/local', accessKey: 'local' } } },
    });
  });

  it('rejects an unsigned request like API Gateway, without invoking the function', async () => {
    const { url, seen } = await startApi();
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: 'AWS4-HMAC-SHA256 Credential=local' }]) {
      expect(await post(new URL(`${url}/v1/sends`), headers as Record<string, string>)).toEqual(FORBIDDEN);
    }
    expect(seen.event).toBeUndefined();
  });

  it.each([
    ['another secret', { keys: { ...KEYS, secretAccessKey: 'guess' } }],
    ['another key', { keys: { ...KEYS, accessKeyId: 'other' } }],
    ['another service', { service: 's3' }],
    ['another region', { region: 'eu-west-1' }],
    ['another method', { method: 'GET' }],
    ['another body', { body: '{"a":1}' }],
    ['a date ten minutes ago', { date: new Date(Date.now() - 600_000) }],
    ['a date in ten minutes', { date: new Date(Date.now() + 600_000) }],
  ])('rejects a request signed with %s', async (_, given) => {
    const { url } = await startApi();
    const target = new URL(`${url}/v1/sends`);
    expect(await post(target, await signedHeaders(target, given))).toEqual(FORBIDDEN);
    expect(await post(target, await signedHeaders(target))).toEqual([200, 'in']);
  });

  it('accepts the time of the machine, and that of the run, which a function has', async () => {
    const clock = createMovableClock();
    const { url } = await startApi(clock);
    const target = new URL(`${url}/v1/sends`);
    await clock.advance(25 * 3_600_000);
    expect(await post(target, await signedHeaders(target))).toEqual([200, 'in']);
    expect(await post(target, await signedHeaders(target, { date: clock.now() }))).toEqual([200, 'in']);
    const between = new Date(Date.now() + 3_600_000);
    expect(await post(target, await signedHeaders(target, { date: between }))).toEqual(FORBIDDEN);
  });

  it('rejects a request signed for another path or host, or with a header changed after signing', async () => {
    const { url } = await startApi();
    const target = new URL(`${url}/v1/sends`);
    const headers = await signedHeaders(target);
    expect(await post(target, await signedHeaders(new URL(`${url}/v1/resolutions`)))).toEqual(FORBIDDEN);
    expect(await post(target, { ...headers, host: `localhost:${target.port}` })).toEqual(FORBIDDEN);
    expect(await post(target, { ...headers, 'x-amz-content-sha256': '0'.repeat(64) })).toEqual(FORBIDDEN);
  });

  it('does not affect the other routes', async () => {
    const { url } = await startApi();
    expect(await post(new URL(`${url}/webhook`), {})).toEqual([200, 'in']);
  });
});
