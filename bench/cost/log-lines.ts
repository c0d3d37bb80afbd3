import type { FunctionFacts } from './template-facts.ts';

const ID = '79b4f56e-95b1-4643-9700-2807f4e68189';
const TIME = '2026-11-23T12:00:00.000Z';
/**
 * The lines that Lambda itself writes for a warm invocation at the system log level INFO: its start and its report. The
 * end of the runtime is DEBUG.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html, and
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html for their fields
 */
const JSON_LINES = [
  { time: TIME, type: 'platform.start', record: { requestId: ID, version: '$LATEST' } },
  {
    time: TIME,
    type: 'platform.report',
    record: {
      requestId: ID,
      metrics: { durationMs: 12.345, billedDurationMs: 13, memorySizeMB: 1024, maxMemoryUsedMB: 120 },
      status: 'success',
    },
  },
].map((line) => JSON.stringify(line));

/** Source: https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html */
const TEXT_LINES = [
  `START RequestId: ${ID} Version: $LATEST`,
  `END RequestId: ${ID}`,
  `REPORT RequestId: ${ID}\tDuration: 12.35 ms\tBilled Duration: 13 ms\tMemory Size: 1024 MB\tMax Memory Used: 120 MB\t`,
];

const bytesOf = (lines: readonly string[]): number =>
  lines.reduce((total, line) => total + Buffer.byteLength(line) + 1, 0);

/** Returns the bytes that Lambda writes to a function's log for a warm invocation. */
export const platformLogBytes = ({ logsJson, logsPlatform }: FunctionFacts): number => {
  if (!logsPlatform) return 0;
  return bytesOf(logsJson ? JSON_LINES : TEXT_LINES);
};

/** Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html */
const VALUES: Readonly<Record<string, string>> = {
  requestId: 'dG9rZW4tMTIzNA==',
  requestTime: '23/Nov/2026:12:00:00 +0000',
  requestTimeEpoch: '1795435200000',
  'identity.sourceIp': '203.0.113.25',
  'identity.userAgent': 'APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)',
  'identity.userArn': '-',
  routeKey: 'POST /webhook',
  httpMethod: 'POST',
  path: '/webhook',
  protocol: 'HTTP/1.1',
  status: '200',
  responseLength: '2',
  responseLatency: '18',
  integrationLatency: '16',
  integrationStatus: '200',
  integrationErrorMessage: '-',
  'error.message': '-',
  domainName: 'a1b2c3d4e5.execute-api.us-east-1.amazonaws.com',
};

/** Returns the size of an HTTP API's access log line with realistic values. */
export const accessLogBytes = (format: string | undefined): number => {
  if (format === undefined) return 0;
  const line = format.replaceAll(/\$context\.([a-zA-Z.]+)/g, (_all, name: string) => VALUES[name] ?? '-');
  return bytesOf([line]);
};
