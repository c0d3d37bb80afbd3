import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countMetricEvents, countMetricRequests } from '../../../../cli/operations/webhook-requests.ts';
import { METRIC_NAMES_OF } from '../../../../lambdas/domain/metric-names.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';

const END = new Date('2026-11-20T12:00:00.000Z');
const START = new Date('2026-11-19T12:00:00.000Z');

let cloudWatch: ListeningServer;
let calls: { url: URL; authorization: string }[];
let answer: (metricName: string) => readonly [status: number, body: string];

beforeEach(async () => {
  calls = [];
  cloudWatch = await listenLocally(
    createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://cloudwatch');
      calls.push({ url, authorization: request.headers.authorization ?? '' });
      const [status, body] = answer(url.searchParams.get('MetricName') ?? '');
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    }),
  );
  process.env.AWS_ENDPOINT_URL_CLOUDWATCH = cloudWatch.url;
});
afterEach(async () => {
  delete process.env.AWS_ENDPOINT_URL_CLOUDWATCH;
  await cloudWatch.close();
});

const source = {
  region: 'eu-west-1',
  namespace: 'Parley-prod',
  credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
};

it('sums the metrics of the function receive over all periods, with signed calls', async () => {
  const sums: Record<string, readonly number[]> = {
    WebhookUnauthenticated: [2, 1],
    EventStored: [10],
    EventQuarantined: [5],
    EventDeferred: [4],
  };
  answer = (name) => [
    200,
    `<GetMetricStatisticsResponse><GetMetricStatisticsResult><Datapoints>${(sums[name] ?? [])
      .map((sum) => `<member><Timestamp>2026-11-20T11:00:00Z</Timestamp><Sum>${sum.toFixed(1)}</Sum></member>`)
      .join('')}</Datapoints></GetMetricStatisticsResult></GetMetricStatisticsResponse>`,
  ];

  expect(await countMetricRequests(source, START, END)).toEqual({ accepted: 19, refused: 3 });
  expect(await countMetricEvents(source, START, END)).toEqual({ stored: 10, quarantined: 5 });
  for (const { url, authorization } of calls) {
    expect(authorization).toContain('/eu-west-1/monitoring/aws4_request');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Namespace: 'Parley-prod',
      'Dimensions.member.1.Name': 'service',
      'Dimensions.member.1.Value': 'receive',
      StartTime: START.toISOString(),
      EndTime: END.toISOString(),
    });
    expect(METRIC_NAMES_OF.receive).toContain(url.searchParams.get('MetricName'));
  }
});

it('fails with the message of CloudWatch', async () => {
  answer = () => [403, '<ErrorResponse><Error><Message>User is not authorized</Message></Error></ErrorResponse>'];

  await expect(countMetricRequests(source, START, END)).rejects.toThrow('User is not authorized');
});
