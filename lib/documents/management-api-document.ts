import { type core, toJSONSchema } from 'zod';
import { sendRequest } from '../../lambdas/domain/send-request.ts';
import * as requests from '../../lambdas/manage/requests.ts';
import * as responses from '../../lambdas/manage/responses.ts';
import { ROUTES, type RouteName } from '../../lambdas/manage/routes.ts';

/** A schema of zod or zod/mini. */
type Schema = core.$ZodType;

interface RouteDescription {
  readonly summary: string;
  readonly description?: string;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly responses: { readonly [status: number]: Schema };
}

const PROBLEM = responses.problemResponse;

const DESCRIPTIONS: Readonly<Record<RouteName, RouteDescription>> = {
  getContact: {
    summary: 'Get a contact with its conversation window, consents and latest contact check',
    query: requests.contactQuery,
    responses: { 200: responses.contactResponse, 400: PROBLEM, 404: PROBLEM },
  },
  eraseContact: {
    summary: 'Erase a contact',
    description:
      'Removes all messages and everything about the sends except the fact that they were sent. Runs in the background: ' +
      'see the erasure. May be repeated. Keeps what the user writes after the call.',
    query: requests.contactQuery,
    responses: { 202: responses.erasureResponse, 400: PROBLEM },
  },
  getConversation: {
    summary: 'List the messages of a contact, newest first',
    query: requests.conversationQuery,
    responses: { 200: responses.conversationResponse, 400: PROBLEM, 404: PROBLEM },
  },
  getMessage: {
    summary: 'Get a message with its statuses',
    responses: { 200: responses.messageResponse, 404: PROBLEM },
  },
  enqueueSend: {
    summary: 'Put a send request on the queue',
    description:
      'Validates the request as the queue consumer does. 202: the request is queued, now or by an earlier call; get the ' +
      'send for its outcome. 409: the request id was used with another body.',
    body: sendRequest,
    responses: { 202: responses.acceptedResponse, 400: PROBLEM, 409: PROBLEM },
  },
  getSend: {
    summary: 'Get the state of a send with its reason',
    responses: { 200: responses.sendResponse, 404: PROBLEM },
  },
  listUncertainSends: {
    summary: 'List the sends with an unknown outcome, oldest first',
    query: requests.uncertainQuery,
    responses: { 200: responses.uncertainResponse, 400: PROBLEM },
  },
  settleSend: {
    summary: 'Record the outcome of an uncertain send, or resend an uncertain or rejected one',
    body: requests.settlementRequest,
    responses: { 200: responses.sendResponse, 400: PROBLEM, 404: PROBLEM, 409: PROBLEM },
  },
  cancelSend: {
    summary: 'Cancel a scheduled send',
    body: requests.cancellationRequest,
    responses: { 200: responses.sendResponse, 400: PROBLEM, 404: PROBLEM, 409: PROBLEM },
  },
  optIn: {
    summary: 'Record an opt-in; the latest consent applies',
    body: requests.consentRequest,
    responses: { 200: responses.contactResponse, 400: PROBLEM },
  },
  optOut: {
    summary: 'Record an opt-out; the latest consent applies',
    body: requests.consentRequest,
    responses: { 200: responses.contactResponse, 400: PROBLEM },
  },
  checkContacts: {
    summary: 'Check which numbers are on the platform and record the results',
    body: requests.contactCheckRequest,
    responses: { 200: responses.checkResponse, 400: PROBLEM, 502: PROBLEM },
  },
  getErasure: {
    summary: 'Get the progress of an erasure',
    responses: { 200: responses.erasureResponse, 404: PROBLEM },
  },
  getStage: {
    summary: 'Get the settings of the stage that operators need',
    responses: { 200: responses.stageResponse },
  },
};

const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done',
  202: 'Accepted',
  400: 'Invalid request: the message says why',
  403: "Unsigned or not allowed: API Gateway's own response",
  404: 'Not found',
  409: 'Conflict with the current state',
  502: 'The chat service failed',
};

/** Returns the OpenAPI 3.1 document of the management API, from the schemas with which the function validates. */
export function managementApiDocument(version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, routeKey] of Object.entries(ROUTES)) {
    const [method = '', route = ''] = routeKey.split(' ');
    // Greedy variables are API Gateway's; in OpenAPI they are path parameters with escaped slashes.
    const path = route.replace('+}', '}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(operationId, path) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley management API',
      version,
      description:
        'For internal systems and operators. Every request is signed with AWS Signature Version 4, service execute-api.',
    },
    servers: [
      {
        url: '{managementUrl}',
        variables: { managementUrl: { default: 'https://api-id.execute-api.region.amazonaws.com' } },
      },
    ],
    security: [{ sigv4: [] }],
    paths,
    components: {
      securitySchemes: {
        sigv4: {
          type: 'apiKey',
          name: 'Authorization',
          in: 'header',
          description: 'AWS Signature Version 4. The caller needs execute-api:Invoke on the route.',
          'x-amazon-apigateway-authtype': 'awsSigv4',
        },
      },
    },
  };
}

/** Returns the content of docs/management-api.json. */
export function managementApiText(version: string): string {
  return `${JSON.stringify(managementApiDocument(version), null, 2)}\n`;
}

function operation(operationId: string, path: string) {
  if (!isRouteName(operationId)) throw new Error(`The route ${operationId} has no description.`);
  const { summary, description, query, body, responses: schemas } = DESCRIPTIONS[operationId];
  const described = Object.entries(schemas).map(([status, schema]) => [
    status,
    { description: STATUS_DESCRIPTIONS[Number(status)], content: jsonContent(schema, 'output') },
  ]);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    ...(body && { requestBody: { required: true, content: jsonContent(body, 'input') } }),
    responses: { ...Object.fromEntries(described), 403: { description: STATUS_DESCRIPTIONS[403] } },
  };
}

function isRouteName(name: string): name is RouteName {
  return name in DESCRIPTIONS;
}

function pathParameters(path: string) {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: Schema) {
  const { properties = {} } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function jsonContent(schema: Schema, io: 'input' | 'output') {
  return { 'application/json': { schema: jsonSchema(schema, io) } };
}

function jsonSchema(schema: Schema, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
