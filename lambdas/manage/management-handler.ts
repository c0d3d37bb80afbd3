import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Caller } from '../domain/audit.ts';
import { decodeUtf8 } from '../domain/decode-utf8.ts';
import { LoggableError } from '../domain/errors.ts';
import * as z from '../domain/schema.ts';
import { parseTraceparent, TRACEPARENT, traceFieldOf } from '../domain/trace-context.ts';
import type { Log } from '../ports.ts';
import { type Answer, invalidField, problem } from './api/answer.ts';
import type { ManagementCall } from './api/define-route.ts';

export interface ManagementHandlerOptions {
  /** The function that responds to calls of each route, by route key, such as `GET /v1/stage`. */
  readonly responders: ReadonlyMap<string, (call: ManagementCall) => Promise<Answer>>;
  readonly log: Log;
}

/** Dispatches calls to their routes. API Gateway has already authenticated and authorized the caller. */
export const createManagementHandler =
  ({ responders, log }: ManagementHandlerOptions) =>
  async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const respond = responders.get(event.routeKey);
    if (respond === undefined)
      throw new LoggableError(`The API has a route that this function does not implement: ${event.routeKey}.`);
    const { bodyText, ...call } = parseCall(event);
    const answer =
      bodyText === undefined ? invalidField('the body', 'is not UTF-8') : await respond({ ...call, bodyText });
    // Logs neither paths nor bodies, because they contain users' numbers.
    const { caller, traceparent } = call;
    const fields = { route: event.routeKey, caller: caller.arn, status: answer.status };
    log.info('management call', { ...fields, ...traceFieldOf(traceparent) });
    return httpResponse(answer);
  };

/** Responds to unexpected errors with a body that reveals nothing internal. */
export const answerErrors = (log: Log): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> => ({
  onError(request) {
    const { event, error } = request;
    const { requestId } = event.requestContext;
    const fields = { route: event.routeKey, caller: callerOf(event).arn, apiRequestId: requestId, error };
    log.error('management call failed', fields);
    const sentence = `Parley could not complete the call. Retry it. If it fails again, search the logs for the request ID ${requestId}.`;
    request.response = httpResponse(problem(500, 'INTERNAL', sentence));
  },
});

const parseCall = (event: APIGatewayProxyEventV2) => ({
  caller: callerOf(event),
  id: Object.values(event.pathParameters ?? {})[0] ?? '',
  query: event.queryStringParameters ?? {},
  bodyText: decodeUtf8(Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')),
  traceparent: parseTraceparent(event.headers[TRACEPARENT]),
});

/**
 * Returns the signer of a call. Only API Gateway can set it, for routes with IAM authorization.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const callerOf = ({ requestContext }: APIGatewayProxyEventV2): Caller => {
  const { userArn = 'unknown', userId } = z.safeParse(iamContext, requestContext).data?.authorizer.iam ?? {};
  return { arn: userArn, ...(userId != null && { id: userId }) };
};

const text = z.nullish(z.string());
const iamContext = z.object({
  authorizer: z.object({ iam: z.object({ userArn: z.optional(z.string()), userId: text }) }),
});

const httpResponse = ({ status, body }: Answer): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
});
