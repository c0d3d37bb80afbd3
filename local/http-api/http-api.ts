import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ACCOUNT_ID, REGION } from '../base/aws-environment.ts';
import type { MovableClock } from '../base/clock.ts';
import type { ListeningServer } from '../base/listen-locally.ts';
import { LocalError } from '../base/local-error.ts';
import { serveLocally } from '../base/serve-locally.ts';
import type { HttpAnswer } from '../emulators/cloudwatch/aws-metrics.ts';
import type { InvokeFunction } from '../functions/invocation.ts';
import { authenticate, type IamIdentity, type PrincipalCredentials } from './iam-authorizer.ts';
import { type ApiIdentity, functionResponse, requestEvent } from './payload-format.ts';
import { readBody, withTimeout } from './request-limits.ts';
import { matchRoute } from './routes.ts';
import { createTokenBucket, type Throttle, type TokenBucket } from './token-bucket.ts';

/** A running HTTP API. The template's resources add its stage, integrations, and routes. */
export interface HttpApi extends ListeningServer {
  readonly addStage: (stage: {
    name: string;
    variables: Record<string, string> | undefined;
    throttle?: Throttle | undefined;
  }) => void;
  readonly addIntegration: (id: string, integration: Integration) => void;
  readonly addRoute: (routeKey: string, integrationId: string, authorization?: RouteAuthorization) => void;
}

interface Integration {
  readonly functionArn: string;
  readonly timeoutMs: number;
}

/** How a route authorizes requests: not at all, or by signature. */
export type RouteAuthorization = 'NONE' | 'AWS_IAM';

export interface HttpApiContext {
  readonly clock: MovableClock;
  /** The keys that sign requests to AWS_IAM routes. @default none; all such requests are rejected */
  readonly credentials?: PrincipalCredentials;
  /** Returns the function that invokes the Lambda function with an ARN. */
  readonly functionOf: (functionArn: string) => InvokeFunction | undefined;
  /**
   * Further host names for requests to routes without IAM authorization, such as a tunnel's for the webhook. @default
   * none
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Receives every answer. @default nothing */
  readonly onAnswer?: ((answer: HttpAnswer) => void) | undefined;
  /** @default 0, any free port */
  readonly port?: number | undefined;
}

/** Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const HEADER_LIMIT_BYTES = 10_240;

/** Responses from the API itself. */
const FORBIDDEN = [403, 'Forbidden'] as const;
const NOT_FOUND = [404, 'Not Found'] as const;
const TOO_MANY_REQUESTS = [429, 'Too Many Requests'] as const;
const TOO_LARGE = [413, 'Request Entity Too Large'] as const;
const INTERNAL_SERVER_ERROR = [500, 'Internal Server Error'] as const;
const UNAVAILABLE = [503, 'Service Unavailable'] as const;

/**
 * Serves an HTTP API with Lambda integrations on the loopback interface.
 *
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api.html
 */
export const startHttpApi = async (apiId: string, name: string, context: HttpApiContext): Promise<HttpApi> => {
  const integrations = new Map<string, Integration>();
  const routes = new Map<string, { integrationId: string; authorization: RouteAuthorization }>();
  let identity: ApiIdentity | undefined;
  let bucket: TokenBucket | undefined;

  const findRoute = (request: IncomingMessage) => {
    const path = decodedPath(request);
    const matched = path === undefined ? undefined : matchRoute([...routes.keys()], request.method ?? 'GET', path);
    return { path, matched, route: routes.get(matched?.routeKey ?? '') };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path, matched, route } = findRoute(request);
    const integration = integrations.get(route?.integrationId ?? '');
    if (path === undefined || !matched || !integration || !identity) return respond(response, NOT_FOUND);
    if (bucket && !bucket.take(context.clock.now())) return respond(response, TOO_MANY_REQUESTS);
    const body = await readBody(request);
    if (!body) return respond(response, TOO_LARGE);
    const signer = route?.authorization === 'AWS_IAM' ? await signerOf(request, body, context) : undefined;
    if (route?.authorization === 'AWS_IAM' && !signer) return respond(response, FORBIDDEN);
    const event = requestEvent(request, body, path, matched, identity, context.clock.now(), signer);
    const invoke = context.functionOf(integration.functionArn);
    if (!invoke) return respond(response, INTERNAL_SERVER_ERROR);
    const result = await withTimeout(integration.timeoutMs, invoke(JSON.stringify(event)));
    if (!result) return respond(response, UNAVAILABLE);
    if (!result.ok && result.error.errorType === 'RequestEntityTooLarge') return respond(response, TOO_LARGE);
    const answer = result.ok ? functionResponse(result.payload) : undefined;
    if (!answer) return respond(response, INTERNAL_SERVER_ERROR);
    response.writeHead(answer.status, {
      ...Object.fromEntries(Object.entries(answer.headers).map(([key, value]) => [key, headerValue(value)])),
      'apigw-requestid': event.requestContext.requestId,
    });
    response.end(answer.body);
  };

  const answer: RequestListener = (request, response) => {
    response.once('finish', () => {
      const at = context.clock.now();
      if (identity) context.onAnswer?.({ apiId, stage: identity.stage, status: response.statusCode, at });
    });
    handle(request, response).catch(() => {
      // Either the client has disconnected, or the function returned invalid headers.
      if (response.headersSent) response.destroy();
      else respond(response, INTERNAL_SERVER_ERROR);
    });
  };
  const listening = await serveLocally(answer, {
    port: context.port,
    maxHeaderSize: HEADER_LIMIT_BYTES,
    allowedHosts: (request) => (findRoute(request).route?.authorization === 'NONE' ? (context.allowedHosts ?? []) : []),
  });
  return {
    ...listening,
    addStage({ name: stage, variables, throttle }) {
      bucket = throttle && createTokenBucket(throttle, context.clock.now());
      identity = { accountId: ACCOUNT_ID, apiId, region: REGION, stage, stageVariables: variables };
    },
    addIntegration: (id, integration) => {
      integrations.set(id, integration);
    },
    addRoute(routeKey, integrationId, authorization = 'NONE') {
      if (!integrations.has(integrationId)) {
        throw new LocalError(
          `The route ${routeKey} of the API ${name} targets the integration ${integrationId}, which does not exist.`,
        );
      }
      routes.set(routeKey, { integrationId, authorization });
    },
  };
};

const signerOf = async (
  request: IncomingMessage,
  body: Buffer,
  { credentials, clock }: HttpApiContext,
): Promise<IamIdentity | undefined> => {
  // Functions sign with the run's time. Other clients do not know that it has moved.
  return credentials && authenticate(request, body, credentials, [new Date(), clock.now()]);
};

const headerValue = (value: string | readonly string[]): string | string[] =>
  typeof value === 'string' ? value : [...value];

/**
 * Returns the path, decoded and cut at a decoded question mark. AWS does not document the cut, which is reported here:
 * https://github.com/middleapi/standard-server/pull/93
 */
const decodedPath = (request: IncomingMessage): string | undefined => {
  try {
    const [path = '/'] = (request.url ?? '/').split('?');
    return decodeURIComponent(path).split('?')[0];
  } catch {
    return undefined;
  }
};

const respond = (response: ServerResponse, [status, message]: readonly [number, string]): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
};
