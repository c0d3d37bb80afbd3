import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Log, Metrics } from '../ports.ts';
import { type Answer, problem } from './answer.ts';
import type { ManagementCall } from './input.ts';
import { ROUTES, type RouteName } from './routes.ts';

export type RouteHandlers = Readonly<Record<RouteName, (call: ManagementCall) => Promise<Answer>>>;

export interface ManagementHandlerPorts {
  readonly routes: RouteHandlers;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The frame around every route: API Gateway has checked by then who calls, and whether they may. */
export const createManagementHandler = ({ routes, log, metrics }: ManagementHandlerPorts) => {
  const named = new Map<string, RouteName>(routeNames(routes).map((name) => [ROUTES[name], name]));
  return async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const name = named.get(event.routeKey);
    if (name === undefined) throw new Error(`The template has a route that nobody here answers: ${event.routeKey}.`);
    const call = readCall(event);
    try {
      const answer = await routes[name](call);
      // Paths and bodies hold users' numbers; who did what, and how it ended, is enough here.
      log.info('management call', { route: name, caller: call.caller, status: answer.status });
      return toHttp(answer);
    } catch (error) {
      const { requestId } = event.requestContext;
      log.error('management call failed', { route: name, caller: call.caller, apiRequestId: requestId, error });
      return toHttp(
        problem(
          500,
          'INTERNAL',
          `Parley failed at this, perhaps for a moment: repeat the call. Its id is ${requestId}.`,
        ),
      );
    } finally {
      metrics.flush();
    }
  };
};

const routeNames = (routes: RouteHandlers): RouteName[] =>
  Object.keys(routes).filter((name): name is RouteName => name in ROUTES);

const readCall = (event: APIGatewayProxyEventV2): ManagementCall => ({
  id: Object.values(event.pathParameters ?? {})[0] ?? '',
  query: event.queryStringParameters ?? {},
  bodyText: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8').toString(),
  caller: callerOf(event),
});

/** The signer's ARN, which API Gateway adds for an IAM authorizer. */
const callerOf = ({ requestContext }: APIGatewayProxyEventV2): string => {
  const { authorizer } = { authorizer: undefined, ...requestContext };
  return userArn(authorizer) ?? 'unknown';
};

const userArn = (authorizer: unknown): string | undefined => {
  if (typeof authorizer !== 'object' || authorizer === null || !('iam' in authorizer)) return undefined;
  const { iam } = authorizer;
  if (typeof iam !== 'object' || iam === null || !('userArn' in iam)) return undefined;
  return typeof iam.userArn === 'string' ? iam.userArn : undefined;
};

const toHttp = ({ status, body }: Answer): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});
