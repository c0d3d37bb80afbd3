import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isObject } from '../base/json.ts';
import type { IamIdentity } from './iam-authorizer.ts';
import type { MatchedRoute } from './routes.ts';

/** How an API identifies itself in an event's request context. */
export interface ApiIdentity {
  readonly accountId: string;
  readonly apiId: string;
  readonly region: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
}

/**
 * Converts a request to an event in payload format 2.0.
 *
 * @param path The request's path, percent-decoded like in HTTP APIs.
 * @param iam Who signed the request, for a route with IAM authorization.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export const requestEvent = (
  request: IncomingMessage,
  body: Buffer,
  path: string,
  { routeKey, pathParameters }: MatchedRoute,
  api: ApiIdentity,
  now: Date,
  iam?: IamIdentity,
) => {
  const { search, searchParams } = new URL(request.url ?? '/', 'http://api');
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1';
  const { cookie, ...distinct } = request.headersDistinct;
  const headers: Record<string, string> = {};
  for (const [name, values = []] of Object.entries(distinct)) {
    if (!CONNECTION_HEADERS.includes(name)) headers[name] = values.join(',');
  }
  if (body.length > 0) headers['content-length'] = String(body.length);
  headers['x-amzn-trace-id'] ??=
    `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  headers['x-forwarded-for'] = [...(distinct['x-forwarded-for'] ?? []), sourceIp].join(', ');
  headers['x-forwarded-port'] ??= '443';
  headers['x-forwarded-proto'] ??= 'https';
  const method = request.method ?? 'GET';
  const isText = isTextContent(headers['content-type']);

  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: search.slice(1),
    ...(cookie && { cookies: cookie.flatMap((line) => line.split(/;\s*/)) }),
    headers,
    ...(searchParams.size > 0 && { queryStringParameters: joined(searchParams) }),
    requestContext: {
      accountId: api.accountId,
      apiId: api.apiId,
      ...(iam && { authorizer: { iam } }),
      domainName: `${api.apiId}.execute-api.${api.region}.amazonaws.com`,
      domainPrefix: api.apiId,
      http: { method, path, protocol: `HTTP/${request.httpVersion}`, sourceIp, userAgent: headers['user-agent'] ?? '' },
      requestId: randomBytes(11).toString('base64'),
      routeKey,
      stage: api.stage,
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(api.stageVariables && { stageVariables: api.stageVariables }),
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
};

/** Headers that apply to a single connection, which the API does not forward. */
const CONNECTION_HEADERS = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Returns whether the event contains a body of this type as text. The documentation says "if the content type of the
 * request is binary, the body is base64-encoded" but does not list the types. On AWS, all types except these are
 * binary, including form data and a missing type.
 */
const isTextContent = (contentType: string | undefined): boolean => {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || ['application/json', 'application/javascript', 'application/xml'].includes(type);
};

const joined = (parameters: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]));

/** Formats a time like `12/Mar/2020:19:03:58 +0000`. */
const commonLogTime = (time: Date): string => {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
};

/** A function's response to the client. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | string;
}

/**
 * Parses a function's result in payload format 2.0. Without a `statusCode`, the whole result is the body of a 200.
 *
 * @param payload The function's result as JSON.
 * @returns undefined if the result is malformed, in which case HTTP APIs respond with 500.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html,
 * "Lambda function response for format 2.0"
 */
export const functionResponse = (payload: string): HttpResponse | undefined => {
  const result: unknown = JSON.parse(payload);
  if (!isObject(result) || result.statusCode === undefined) {
    const body = typeof result === 'string' ? result : payload;
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const { statusCode, headers = {}, body = '', cookies = [], isBase64Encoded = false } = result;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (!isObject(headers) || typeof body !== 'string' || !Array.isArray(cookies)) return undefined;
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return {
    status,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(lowerCased.filter(([name]) => !SET_BY_THE_API.includes(name))),
      ...(cookies.length > 0 && { 'set-cookie': cookies.map(String) }),
    },
    body: isBase64Encoded === true ? Buffer.from(body, 'base64') : body,
  };
};

/** Headers that the API sets itself. */
const SET_BY_THE_API = [...CONNECTION_HEADERS, 'content-length'];
