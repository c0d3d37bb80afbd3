import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { MovableClock } from '../clock/movable-clock.ts';
import type { InvocationResult, InvokeFunction } from '../lambda/function-declaration.ts';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import { LocalError } from '../local-error.ts';
import { functionResponse, INTERNAL_SERVER_ERROR } from './function-response.ts';
import { type IamIdentity, iamIdentity } from './iam-authorizer.ts';
import { type ApiIdentity, requestEvent } from './request-event.ts';
import { matchRoute } from './routes.ts';

/** A local HTTP API, configured as the template's resources come. */
export interface HttpApi extends ListeningServer {
  readonly addStage: (stage: { name: string; variables: Record<string, string> | undefined }) => void;
  readonly addIntegration: (id: string, integration: { functionArn: string; timeoutMs: number }) => void;
  readonly addRoute: (routeKey: string, integrationId: string, authorization?: RouteAuthorization) => void;
}

/** Whether anybody may call a route, or only whoever signs the call. */
export type RouteAuthorization = 'NONE' | 'AWS_IAM';

/** What an API works with. */
export interface HttpApiSurroundings {
  readonly accountId: string;
  readonly region: string;
  readonly clock: MovableClock;
  /** The keys that a call of an AWS_IAM route is signed with; without them such a call is refused. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Finds what runs the function with this ARN. */
  readonly functionOf: (functionArn: string) => InvokeFunction | undefined;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const BODY_LIMIT = 10 * 1024 * 1024;
const HEADER_LIMIT = 10_240;

/**
 * Serves an HTTP API whose routes lead to functions, on the loopback interface.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api.html
 */
export const startHttpApi = async (
  apiId: string,
  name: string,
  surroundings: HttpApiSurroundings,
): Promise<HttpApi> => {
  const integrations = new Map<string, { functionArn: string; timeoutMs: number }>();
  const routes = new Map<string, { integrationId: string; authorization: RouteAuthorization }>();
  let identity: ApiIdentity | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = decodedPath(request);
    const matched = path === undefined ? undefined : matchRoute([...routes.keys()], request.method ?? 'GET', path);
    const route = routes.get(matched?.routeKey ?? '');
    const integration = integrations.get(route?.integrationId ?? '');
    if (path === undefined || !matched || !integration || !identity) return respond(response, 404, 'Not Found');
    const body = await readBody(request);
    if (!body) return respond(response, 413, 'Request Entity Too Large');
    const iam = route?.authorization === 'AWS_IAM' ? await signerOf(request, body, surroundings) : undefined;
    if (route?.authorization === 'AWS_IAM' && !iam) return respond(response, 403, 'Forbidden');
    const event = requestEvent(request, body, path, matched, identity, surroundings.clock.now(), iam);
    const invoke = surroundings.functionOf(integration.functionArn);
    if (!invoke) return respond(response, INTERNAL_SERVER_ERROR.status, INTERNAL_SERVER_ERROR.message);
    const result = await within(integration.timeoutMs, invoke(JSON.stringify(event)));
    if (!result) return respond(response, 503, 'Service Unavailable');
    if (!result.ok && result.error.errorType === 'RequestEntityTooLarge') {
      return respond(response, 413, 'Request Entity Too Large');
    }
    const read = result.ok ? functionResponse(result.payload) : undefined;
    if (!read) return respond(response, INTERNAL_SERVER_ERROR.status, INTERNAL_SERVER_ERROR.message);
    response.writeHead(read.status, {
      ...Object.fromEntries(Object.entries(read.headers).map(([key, value]) => [key, headerValue(value)])),
      'apigw-requestid': event.requestContext.requestId,
    });
    response.end(read.body);
  };

  const server = createServer({ maxHeaderSize: HEADER_LIMIT }, (request, response) => {
    answer(request, response).catch(() => {
      // Either the client went away or its answer has headers that HTTP does not allow.
      if (response.headersSent) response.destroy();
      else respond(response, INTERNAL_SERVER_ERROR.status, INTERNAL_SERVER_ERROR.message);
    });
  });
  const listening = await listenLocally(server);
  return {
    ...listening,
    addStage({ name: stage, variables }) {
      identity = {
        accountId: surroundings.accountId,
        apiId,
        region: surroundings.region,
        stage,
        stageVariables: variables,
      };
    },
    addIntegration: (id, integration) => {
      integrations.set(id, integration);
    },
    addRoute(routeKey, integrationId, authorization = 'NONE') {
      if (!integrations.has(integrationId)) {
        throw new LocalError(
          `The route ${routeKey} of the API ${name} leads to ${integrationId}, which is no integration.`,
        );
      }
      routes.set(routeKey, { integrationId, authorization });
    },
  };
};

/** Who signed the request. */
const signerOf = async (
  request: IncomingMessage,
  body: Buffer,
  { accountId, region, credentials }: HttpApiSurroundings,
): Promise<IamIdentity | undefined> =>
  credentials && iamIdentity(request, body, { accountId, region, ...credentials }, new Date());

const headerValue = (value: string | readonly string[]): string | string[] =>
  typeof value === 'string' ? value : [...value];

const decodedPath = (request: IncomingMessage): string | undefined => {
  try {
    return decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/');
  } catch {
    return undefined;
  }
};

/** The whole body, or nothing when it is larger than the API takes. */
const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // What is too large is still read to its end, so that the client hears the answer instead of a broken connection.
    if (bytes <= BODY_LIMIT) chunks.push(chunk);
  }
  return bytes > BODY_LIMIT ? undefined : Buffer.concat(chunks);
};

const within = async (ms: number, invocation: Promise<InvocationResult>): Promise<InvocationResult | undefined> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([invocation, promise]);
  } finally {
    clearTimeout(timer);
  }
};

const respond = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
};
