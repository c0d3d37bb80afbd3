import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ManagementClient, ManagementError } from '../../../cli/operations/management-client.ts';
import { redrive } from '../../../cli/operations/redrive.ts';
import { ROUTES } from '../../../lambdas/manage/api/routes.ts';
import type { InvocationEnd } from './function-pool.ts';
import type { Act } from './history.ts';
import type { StageContext } from './stage-context.ts';

/** An operator or an internal system that calls the management API, and the commands that operators use. */
export interface Operator {
  /** Calls the API for an act, and retries after a short pause if the call fails or gets no response. */
  act(act: Act, call: { readonly method: Method; readonly path: string; readonly body?: unknown }): void;
  redrive(act: Extract<Act, { kind: 'redrive' }>): void;
}

type Method = 'GET' | 'POST' | 'DELETE';

export interface OperatorOptions {
  readonly context: StageContext;
  readonly request: (
    event: APIGatewayProxyEventV2,
    about: string,
  ) => Promise<InvocationEnd<{ readonly status: number; readonly body: unknown }>>;
}

/**
 * The retries outlast any outage of the table or the queues, and the faults at rare calls, because the first attempt
 * can have taken effect in part.
 */
const MAX_ATTEMPTS = 30;
const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 60 * 60 * 1000;
const MAX_NETWORK_MS = 50;
/** Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const API_TIMEOUT_MS = 30_000;

const patternOf = (route: string): RegExp =>
  new RegExp(`^${route.replace(/\{(\w+)\+\}/, '(?<$1>.+)').replace(/\{(\w+)\}/, '(?<$1>[^/]+)')}$`);
const PATTERNS = Object.values(ROUTES).map(({ route }) => ({ route, pattern: patternOf(route) }));

export const createOperator = ({ context, request }: OperatorOptions): Operator => {
  const { features, draw, after, record, agenda } = context;
  const counts = new Map<string, number>();

  /** The response of API Gateway, or undefined if it is lost. */
  const call = (method: Method, path: string, body: unknown) =>
    new Promise<{ readonly status: number; readonly body: unknown } | undefined>((resolve) => {
      const name = `${method} ${path}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const about = `${name} ${count}`;
      const identity = draw.identify(about);
      after(context.delayMs(`${about} is called`, MAX_NETWORK_MS), about, () => {
        const timeout = after(API_TIMEOUT_MS, `timeout of ${about}`, () => resolve({ status: 503, body: undefined }));
        request(eventOf(name, body), about).then((end) => {
          agenda.cancel(timeout);
          const isLost = !context.isCalm && draw.fraction(identity, 1) < features.delivery.lostAnswerRate;
          if (isLost) resolve(undefined);
          else resolve(end.how === 'answered' ? end.result : { status: 500, body: undefined });
        });
      });
    });

  const client: ManagementClient = async (method, path, body) => {
    const answer = await call(method, path, body);
    if (answer !== undefined && answer.status < 400) return answer.body;
    const code =
      typeof answer?.body === 'object' && answer.body !== null && 'code' in answer.body ? answer.body.code : '';
    throw new ManagementError(answer?.status ?? 0, String(code), 'The call failed.');
  };

  return {
    act(act, { method, path, body }) {
      const attempt = async (count: number): Promise<void> => {
        const answer = await call(method, path, body);
        record({ kind: 'api-answer', act, status: answer?.status, body: answer?.body });
        if ((answer === undefined || answer.status >= 500) && count < MAX_ATTEMPTS) {
          const pauseMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (count - 1));
          after(pauseMs, `retry ${method} ${path}`, () => void attempt(count + 1));
        }
      };
      void attempt(1);
    },
    redrive(act) {
      redrive(client, act.queue, { filter: {} }).then(
        (body) => record({ kind: 'api-answer', act, status: 200, body }),
        (error: unknown) => {
          const status = error instanceof ManagementError && error.status > 0 ? error.status : undefined;
          record({ kind: 'api-answer', act, status, body: undefined });
        },
      );
    },
  };
};

/** Returns the event of API Gateway for a signed request. */
const eventOf = (name: string, body: unknown): APIGatewayProxyEventV2 => {
  const [path = '', query = ''] = name.split('?');
  const found = PATTERNS.map(({ route, pattern }) => ({ route, match: pattern.exec(path) })).find(({ match }) => match);
  if (found === undefined) throw new Error(`The management API has no route for ${name}.`);
  const parameters = Object.entries(found.match?.groups ?? {});
  const event: Partial<APIGatewayProxyEventV2> = {
    routeKey: found.route,
    headers: {},
    pathParameters: Object.fromEntries(parameters.map(([id, value]) => [id, decodeURIComponent(value ?? '')])),
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    isBase64Encoded: false,
  };
  const requestContext = { requestId: 'simulated', authorizer: { iam: { userArn: OPERATOR } } };
  // The handler uses no other fields of the request.
  return { ...event, requestContext } as unknown as APIGatewayProxyEventV2;
};

const OPERATOR = 'arn:aws:iam::000000000000:user/operator';
