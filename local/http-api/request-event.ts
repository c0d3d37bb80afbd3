import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { IamIdentity } from './iam-authorizer.ts';
import type { MatchedRoute } from './routes.ts';

/** What the API knows of itself, for the event's context. */
export interface ApiIdentity {
  readonly accountId: string;
  readonly apiId: string;
  readonly region: string;
  readonly stage: string;
  readonly stageVariables: Readonly<Record<string, string>> | undefined;
}

/**
 * A request as a function receives it, in payload format 2.0; optional fields are absent where the request has none.
 *
 * @param path The request's path as HTTP APIs give it, percent-decoded.
 * @param iam Who signed the request, for a route that asks for that.
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
    if (!PER_CONNECTION.includes(name)) headers[name] = values.join(',');
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

/** What the client says about its own connection; the API passes on a whole body of a known length. */
const PER_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * Whether a body of this type comes as text. The documentation says "if the content type of the request is binary, the
 * body is base64-encoded" and does not list the types; observed on AWS are these as text and all else as binary, a
 * missing type and form data included.
 */
const isTextContent = (contentType: string | undefined): boolean => {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || ['application/json', 'application/javascript', 'application/xml'].includes(type);
};

const joined = (parameters: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]));

/** `12/Mar/2020:19:03:58 +0000` */
const commonLogTime = (time: Date): string => {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+) GMT$/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
};
