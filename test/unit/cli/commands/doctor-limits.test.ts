import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkLimits } from '../../../../cli/commands/doctor-limits.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';

let aws: ListeningServer;
let calls: { path: string; authorization: string }[];
let concurrency: { ConcurrentExecutions: number; UnreservedConcurrentExecutions: number };
let routeSettings: Record<string, Record<string, unknown>>;
let status: number;

beforeEach(async () => {
  calls = [];
  concurrency = { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 900 };
  routeSettings = {};
  status = 200;
  aws = await listenLocally(
    createServer((request, response) => {
      const path = request.url ?? '';
      calls.push({ path, authorization: request.headers.authorization ?? '' });
      const [, restApiId] = /^\/restapis\/([^/]+)\/stages\/live$/.exec(path) ?? [];
      const [, apiId = ''] = /^\/v2\/apis\/([^/]+)\/stages\/\$default$/.exec(path) ?? [];
      const body = restApiId
        ? { stageName: 'live', methodSettings: { '*/*': routeSettings[restApiId] ?? {} } }
        : apiId
          ? { stageName: '$default', defaultRouteSettings: routeSettings[apiId] }
          : { AccountLimit: { ...concurrency, TotalCodeSize: 1 } };
      response
        .writeHead(status, status === 200 ? {} : { 'x-amzn-errortype': 'AccessDeniedException' })
        .end(JSON.stringify(status === 200 ? body : { Message: 'User is not authorized' }));
    }),
  );
  process.env.AWS_ENDPOINT_URL_LAMBDA = aws.url;
  process.env.AWS_ENDPOINT_URL_APIGATEWAYV2 = aws.url;
  process.env.AWS_ENDPOINT_URL_API_GATEWAY = aws.url;
});
afterEach(async () => {
  delete process.env.AWS_ENDPOINT_URL_LAMBDA;
  delete process.env.AWS_ENDPOINT_URL_APIGATEWAYV2;
  delete process.env.AWS_ENDPOINT_URL_API_GATEWAY;
  await aws.close();
});

const target = {
  name: 'stack Parley-prod in eu-west-1',
  isLocal: false,
  region: 'eu-west-1',
  credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
  addresses: {
    webhookUrl: 'https://abc.execute-api.eu-west-1.amazonaws.com/webhook',
  },
};

const grades = async () => (await checkLimits(target)).map(({ grade, message }) => `${grade}: ${message}`);

describe('doctor on limits', () => {
  it('shows the concurrency of the account and that the webhook is not throttled, with signed calls', async () => {
    expect(await grades()).toEqual([
      'ok: The account can run 1000 concurrent executions, 900 of them unreserved.',
      "ok: The webhook accepts as many requests as the account's quota allows.",
    ]);
    expect(calls.map(({ path }) => path)).toEqual(['/2016-08-19/account-settings', '/v2/apis/abc/stages/$default']);
    expect(calls.map(({ authorization }) => /\/eu-west-1\/(\w+)\/aws4/.exec(authorization)?.[1])).toEqual([
      'lambda',
      'apigateway',
    ]);
  });

  it.each([
    { limit: 10, unreserved: 10, grade: 'failing' },
    { limit: 100, unreserved: 100, grade: 'warning' },
    { limit: 1000, unreserved: 100, grade: 'warning' },
    { limit: 1000, unreserved: 150, grade: 'ok' },
  ])('grades $unreserved unreserved of $limit executions as $grade', async ({ limit, unreserved, grade }) => {
    concurrency = { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved };

    expect((await checkLimits(target))[0]).toMatchObject({ grade });
  });

  it.each([
    { rate: 9.5, grade: 'warning' },
    { rate: 10, grade: 'ok' },
  ])('grades an API that accepts $rate requests per second as $grade', async ({ rate, grade }) => {
    routeSettings = { abc: { throttlingRateLimit: rate, throttlingBurstLimit: 20, detailedMetricsEnabled: false } };

    expect((await checkLimits(target))[1]).toMatchObject({
      grade,
      message: `The webhook answers 429 above ${rate} requests per second, or 20 at once.`,
    });
  });

  it('warns about a limit that it cannot read, and names the missing permission', async () => {
    status = 403;

    const findings = await checkLimits(target);

    expect(findings.map(({ grade }) => grade)).toEqual(['warning', 'warning']);
    expect(findings[0]?.message).toMatch(
      /^A limit could not be read. Access denied by stack Parley-prod in eu-west-1:/,
    );
    expect(findings[0]?.remedy).toBe('Allow lambda:GetAccountSettings; see docs/policies/operator.json.');
    expect(findings[1]?.remedy).toBe('Allow apigateway:GET; see docs/policies/operator.json.');
  });

  it('finds the API of a webhook with a domain name', async () => {
    const addresses = { ...target.addresses, webhookUrl: 'https://chat-events.example/webhook', webhookApiId: 'abc' };

    await checkLimits({ ...target, addresses });

    expect(calls.map(({ path }) => path)).toContain('/v2/apis/abc/stages/$default');
  });

  it('reads the limit of the REST API of a buffered ingress', async () => {
    const webhookUrl = 'https://abc.execute-api.eu-west-1.amazonaws.com/live/webhook';
    const addresses = { ...target.addresses, webhookUrl, webhookIngress: 'buffered' };
    routeSettings = { abc: { throttlingRateLimit: 5, throttlingBurstLimit: 9 } };

    const findings = await checkLimits({ ...target, addresses });

    expect(findings[1]).toMatchObject({
      grade: 'warning',
      message: 'The webhook answers 429 above 5 requests per second, or 9 at once.',
    });
  });

  it('says nothing about a local run, which has no account', async () => {
    expect(await checkLimits({ ...target, isLocal: true })).toEqual([]);
    expect(calls).toEqual([]);
  });
});
