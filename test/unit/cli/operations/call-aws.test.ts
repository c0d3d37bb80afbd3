import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsApi, callAws, getFromAws } from '../../../../cli/operations/call-aws.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';

let aws: ListeningServer;
let answer: { status: number; headers: OutgoingHttpHeaders; body: string };

beforeEach(async () => {
  aws = await listenLocally(
    createServer((_, response) => response.writeHead(answer.status, answer.headers).end(answer.body)),
  );
});
afterEach(() => aws.close());

const api = (): AwsApi => ({
  service: 'lambda',
  url: aws.url,
  region: 'eu-west-1',
  credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
});

describe.each([
  ['callAws', () => callAws(api(), 'TrentService.GetKeyPolicy', {})],
  ['getFromAws', () => getFromAws(api(), '/2015-03-31/functions/function/policy')],
])("%s reads AWS's answer", (_name, call) => {
  it('returns the body', async () => {
    answer = { status: 200, headers: {}, body: '{"Policy":"{}"}' };

    expect(await call()).toEqual({ Policy: '{}' });
  });

  it.each([
    ['in a header', { 'x-amzn-errortype': 'AccessDeniedException:http://internal.amazon.com/' }, { Message: 'No.' }],
    ['in the body', {}, { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'No.' }],
  ])('throws an error with the type that is %s', async (_place, headers, body) => {
    answer = { status: 403, headers, body: JSON.stringify(body) };

    await expect(call()).rejects.toMatchObject({ name: 'AccessDeniedException', message: 'No.' });
  });

  it('throws an error with the status if the body is not JSON', async () => {
    answer = { status: 503, headers: {}, body: '<html>' };

    await expect(call()).rejects.toThrow('127.0.0.1 returned 503');
  });
});
