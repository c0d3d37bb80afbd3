import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { MovableClock } from '../base/clock.ts';
import type { ListeningServer } from '../base/listen-locally.ts';
import { serveLocally } from '../base/serve-locally.ts';
import type { RestApiAnswer } from '../emulators/cloudwatch/aws-metrics.ts';
import { readBody, withTimeout } from '../http-api/request-limits.ts';
import { matchRoute } from '../http-api/routes.ts';
import { createTokenBucket, type Throttle, type TokenBucket } from '../http-api/token-bucket.ts';
import type { MappingTemplate, RenderedTemplate, TemplateInput } from './mapping-template.ts';
import type { SqsAnswer } from './sqs-action.ts';

/** A method whose integration calls an AWS service with what a mapping template renders. */
export interface RestMethod {
  /** Such as `POST /webhook/{chatChannelNumber}`. */
  readonly routeKey: string;
  /** By content type. API Gateway answers any other type with 415. */
  readonly requestTemplates: ReadonlyMap<string, MappingTemplate>;
  readonly call: (body: string) => Promise<SqsAnswer>;
  /** The first one that matches the service's status is used. One without a pattern matches every other status. */
  readonly responses: readonly IntegrationResponse[];
  readonly timeoutMs: number;
}

export interface IntegrationResponse {
  readonly status: number;
  readonly pattern: RegExp | undefined;
  readonly template: MappingTemplate;
}

/** A running REST API. The template's resources add its stage and methods. */
export interface RestApi extends ListeningServer {
  readonly addStage: (stage: RestStage) => void;
  readonly addMethod: (method: RestMethod) => void;
  /** Sets the answer to requests for which there is no method. */
  readonly setUnknownPath: (answer: { readonly status: number; readonly body: string }) => void;
}

export interface RestStage {
  readonly name: string;
  readonly throttle: Throttle | undefined;
  /** Whether the answers of each method are counted too. @default false */
  readonly hasDetailedMetrics?: boolean;
}

export interface RestApiContext {
  readonly clock: MovableClock;
  /** Further host names that requests may be addressed to, such as a tunnel's. @default none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Receives every answer. @default nothing */
  readonly onAnswer?: ((answer: RestApiAnswer) => void) | undefined;
  /** @default 0, any free port */
  readonly port?: number | undefined;
}

/** Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const HEADER_LIMIT_BYTES = 10_240;

/** Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html */
const MISSING_AUTHENTICATION_TOKEN = [403, 'Missing Authentication Token'] as const;
const TOO_MANY_REQUESTS = [429, 'Too Many Requests'] as const;
const TOO_LARGE = [413, 'Request Too Long'] as const;
const UNSUPPORTED_MEDIA_TYPE = [415, 'Unsupported Media Type'] as const;
const INTERNAL_SERVER_ERROR = [500, 'Internal server error'] as const;
const TIMEOUT = [504, 'Endpoint request timed out'] as const;

/**
 * Serves a REST API whose methods call AWS services, on the loopback interface. The API treats every body as binary, and
 * converts it to text in base64, in both directions.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html
 */
export const startRestApi = async (name: string, context: RestApiContext): Promise<RestApi> => {
  const methods = new Map<string, RestMethod>();
  let stage: string | undefined;
  let hasDetailedMetrics = false;
  let bucket: TokenBucket | undefined;
  let unknownPath = json(...MISSING_AUTHENTICATION_TOKEN);

  const match = (request: IncomingMessage) => {
    const path = pathInStage(request, stage);
    return path === undefined ? undefined : matchRoute([...methods.keys()], request.method ?? '', path);
  };
  const handle = async (request: IncomingMessage): Promise<Answer> => {
    const matched = match(request);
    const method = methods.get(matched?.routeKey ?? '');
    if (!matched || !method) return unknownPath;
    if (bucket && !bucket.take(context.clock.now())) return json(...TOO_MANY_REQUESTS);
    const body = await readBody(request);
    if (!body) return json(...TOO_LARGE);
    const template = method.requestTemplates.get(mediaTypeOf(request));
    if (!template) return json(...UNSUPPORTED_MEDIA_TYPE);
    const input: TemplateInput = {
      body: body.toString('base64'),
      headers: headersOf(request),
      pathParameters: matched.pathParameters,
      extendedRequestId: randomBytes(11).toString('base64'),
      requestTimeEpoch: context.clock.now().getTime(),
    };
    const answer = await withTimeout(method.timeoutMs, method.call(template(input).text));
    return answer === undefined ? json(...TIMEOUT) : mapAnswer(method, answer, input);
  };

  const listener: RequestListener = (request, response) => {
    response.once('finish', () => {
      const at = context.clock.now();
      if (stage === undefined) return;
      const [Method, Resource] = match(request)?.routeKey.split(' ') ?? [];
      const method = hasDetailedMetrics && Method && Resource ? { Method, Resource } : undefined;
      context.onAnswer?.({ apiName: name, stage, method, status: response.statusCode, at });
    });
    handle(request)
      .catch(() => json(...INTERNAL_SERVER_ERROR))
      .then((answer) => respond(response, answer))
      // The client has disconnected.
      .catch(() => response.destroy());
  };
  const listening = await serveLocally(listener, {
    port: context.port,
    maxHeaderSize: HEADER_LIMIT_BYTES,
    allowedHosts: () => context.allowedHosts ?? [],
  });
  return {
    ...listening,
    addStage({ name: stageName, throttle, hasDetailedMetrics: isDetailed = false }) {
      stage = stageName;
      hasDetailedMetrics = isDetailed;
      bucket = throttle && createTokenBucket(throttle, context.clock.now());
    },
    addMethod: (method) => {
      methods.set(method.routeKey, method);
    },
    setUnknownPath: (answer) => {
      unknownPath = answer;
    },
  };
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

const json = (status: number, message: string): Answer => ({ status, body: JSON.stringify({ message }) });

const respond = (response: ServerResponse, { status, body }: Answer): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
};

/** Returns the path behind the stage's name. Segments stay as the client wrote them. */
const pathInStage = ({ url = '/' }: IncomingMessage, stage: string | undefined): string | undefined => {
  const [path = '/'] = url.split('?');
  return stage !== undefined && path.startsWith(`/${stage}/`) ? path.slice(stage.length + 1) : undefined;
};

/** A request without a content type counts as JSON. */
const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';

/** Returns the headers with their names as the client wrote them. The last one of several counts. */
const headersOf = ({ rawHeaders }: IncomingMessage): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers[rawHeaders[index] ?? ''] = rawHeaders[index + 1] ?? '';
  }
  return headers;
};

const mapAnswer = ({ responses }: RestMethod, { status, body }: SqsAnswer, input: TemplateInput): Answer => {
  const matching = responses.find(({ pattern }) => pattern?.test(String(status)));
  const response = matching ?? responses.find(({ pattern }) => pattern === undefined);
  if (!response) return json(...INTERNAL_SERVER_ERROR);
  const rendered: RenderedTemplate = response.template({ ...input, body: Buffer.from(body).toString('base64') });
  return { status: rendered.status ?? response.status, body: rendered.text.trim() };
};
