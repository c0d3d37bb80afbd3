import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '../../../../lambdas/manage/api/routes.ts';
import { createMovableClock } from '../../../../local/base/clock.ts';
import { type HttpApi, startHttpApi } from '../../../../local/http-api/http-api.ts';

// A policy can confine a caller to `PUT/v1/sends/billing-*`. AWS does not document whether IAM sees the path as it was
// sent or decoded, so no path may name another send in either form.

let api: HttpApi;
let event: {
  routeKey: string;
  pathParameters?: Record<string, string>;
  queryStringParameters?: Record<string, string>;
};

beforeAll(async () => {
  api = await startHttpApi('abc123', 'test', {
    clock: createMovableClock(),
    functionOf: () => async (payload) => {
      event = JSON.parse(payload);
      return { ok: true, payload: '{"statusCode":200}' };
    },
  });
  api.addStage({ name: '$default', variables: undefined });
  api.addIntegration('one', { functionArn: 'arn:function', timeoutMs: 10_000 });
  for (const { route } of Object.values(ROUTES)) api.addRoute(route, 'one');
});
afterAll(() => api.close());

/** Sends a path as it is, which `fetch` would normalize. */
const put = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(api.url, { method: 'PUT', path });
    sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)));
    sent.on('error', reject).end('{}');
  });

/** Returns the request ID that the function acts on, or undefined if it refuses the call. */
const acceptedId = async (): Promise<string | undefined> => {
  const asked: string[] = [];
  const stop = (id: string) => {
    asked.push(id);
    throw new Error('asked');
  };
  const ports = Object.create(null, {
    sends: { value: { register: ({ request: { requestId } }: { request: { requestId: string } }) => stop(requestId) } },
    clock: { value: { now: () => '2026-11-20T12:00:00.000Z' } },
    contactDefaults: { value: { chatPlatform: 'chat', chatChannelNumber: '+5491100000000', windowPer: 'user' } },
  });
  const body = JSON.stringify({ platformContactId: '+5491150000001', messageText: 'Hi' });
  const call = {
    caller: { arn: 'billing' },
    id: event.pathParameters?.requestId ?? '',
    query: event.queryStringParameters ?? {},
    bodyText: body,
  };
  await ROUTES.enqueueSendById.respond(ports, call).catch(() => undefined);
  return asked[0];
};

const isConfined = (path: string) => path.startsWith('/v1/sends/billing-');

it.each([
  ['/v1/sends/billing-1', 'billing-1'],
  ['/v1/sends/billing%2D1', 'billing-1'],
  ['/v1/sends/%62illing-1', 'billing-1'],
  ['/v1/sends/billing-1?', 'billing-1'],
  ['/v1/sends/billing-%3Frequest', 'billing-'],
  ['/v1/sends/billing-1?requestId=orders-1', undefined],
  ['/v1/sends/-?requestId=orders-1', undefined],
  ['/v1/sends/-?requestId=billing-1', undefined],
  ['/v1/sends/billing-/../orders-1', undefined],
  ['/v1/sends/billing-%2F..%2Forders-1', undefined],
  ['/v1/sends/billing-%252F..%252Forders-1', undefined],
  ['/v1/sends/%252E%252E/orders-1', undefined],
  ['/v1/sends/billing-1%00', undefined],
  ['/v1/sends/billing-1%20orders-1', undefined],
  ['/v1/sends/billing-1+orders-1', undefined],
  ['/v1/sends/billing-*', undefined],
  ['/v1/sends/..', undefined],
  ['/v1/sends/orders-1', 'orders-1'],
  ['/v1/sends/orders-1%3F/billing-', 'orders-1'],
  ['/v1/sends/orders-1#/billing-', undefined],
  ['//v1/sends/billing-1', undefined],
])('PUT %s is about %s', async (path, expected) => {
  event = { routeKey: '' };
  const status = await put(path);
  const id = status === 200 && event.routeKey === ROUTES.enqueueSendById.route ? await acceptedId() : undefined;

  expect(id).toBe(expected);
  const [asSent = ''] = path.split('?');
  if (id !== undefined && (isConfined(asSent) || isConfined(decodeURIComponent(asSent)))) {
    expect(id).toMatch(/^billing-/);
  }
});
