import { type core, toJSONSchema } from 'zod';
import { sendRequest } from '../../lambdas/domain/send-request.ts';
import * as requests from '../../lambdas/manage/requests.ts';
import * as responses from '../../lambdas/manage/responses.ts';
import { ROUTES, type RouteName } from '../../lambdas/manage/routes.ts';

/** A schema of either flavour of zod. */
type Schema = core.$ZodType;

interface RouteDescription {
  readonly summary: string;
  readonly description?: string;
  readonly query?: Schema;
  readonly body?: Schema;
  readonly answers: { readonly [status: number]: Schema };
}

const PROBLEM = responses.problemResponse;

const DESCRIPTIONS: Readonly<Record<RouteName, RouteDescription>> = {
  getContact: {
    summary: 'A contact with its window, its consents and its latest check',
    query: requests.contactQuery,
    answers: { 200: responses.contactResponse, 400: PROBLEM, 404: PROBLEM },
  },
  eraseContact: {
    summary: 'Erase a contact',
    description:
      'Removes every message, and of the sends all but that they were sent. Done in the background: see the erasure. ' +
      'May be repeated. What the user writes after the call stays.',
    query: requests.contactQuery,
    answers: { 202: responses.erasureResponse, 400: PROBLEM },
  },
  getConversation: {
    summary: 'A contact’s messages, newest first',
    query: requests.conversationQuery,
    answers: { 200: responses.conversationResponse, 400: PROBLEM, 404: PROBLEM },
  },
  getMessage: {
    summary: 'A message with its statuses',
    answers: { 200: responses.messageResponse, 404: PROBLEM },
  },
  enqueueSend: {
    summary: 'Put a send request on the queue',
    description:
      'Checked as the queue’s consumer checks it. 202 means that it is queued, or was before; what becomes of it is told by ' +
      'the send. 409: the request id was used with another body.',
    body: sendRequest,
    answers: { 202: responses.acceptedResponse, 400: PROBLEM, 409: PROBLEM },
  },
  getSend: {
    summary: 'How a send stands, and why',
    answers: { 200: responses.sendResponse, 404: PROBLEM },
  },
  listUncertainSends: {
    summary: 'The sends of which nobody knows whether they went out, oldest first',
    query: requests.uncertainQuery,
    answers: { 200: responses.uncertainResponse, 400: PROBLEM },
  },
  settleSend: {
    summary: 'Say what became of an uncertain send, or have it, or a rejected one, sent again',
    body: requests.settlementRequest,
    answers: { 200: responses.sendResponse, 400: PROBLEM, 404: PROBLEM, 409: PROBLEM },
  },
  cancelSend: {
    summary: 'Cancel a send that waits for its time',
    body: requests.cancellationRequest,
    answers: { 200: responses.sendResponse, 400: PROBLEM, 404: PROBLEM, 409: PROBLEM },
  },
  optIn: {
    summary: 'Record an opt-in; the latest one counts',
    body: requests.consentRequest,
    answers: { 200: responses.contactResponse, 400: PROBLEM },
  },
  optOut: {
    summary: 'Record an opt-out; the latest one counts',
    body: requests.consentRequest,
    answers: { 200: responses.contactResponse, 400: PROBLEM },
  },
  checkContacts: {
    summary: 'Ask the chat service which numbers are on the platform, and remember the answer',
    body: requests.contactCheckRequest,
    answers: { 200: responses.checkResponse, 400: PROBLEM, 502: PROBLEM },
  },
  getErasure: {
    summary: 'How an erasure stands',
    answers: { 200: responses.erasureResponse, 404: PROBLEM },
  },
  getStage: {
    summary: 'The stage’s settings, as far as an operator needs them',
    answers: { 200: responses.stageResponse },
  },
};

const MEANING: Readonly<Record<number, string>> = {
  200: 'Done',
  202: 'Taken on',
  400: 'Not understood: the message says what',
  403: 'Not signed, or not allowed: API Gateway’s own answer',
  404: 'Not found',
  409: 'In the way of what stands',
  502: 'The chat service failed',
};

/** The management API as an OpenAPI 3.1 document, made from the schemas that the function checks with. */
export const managementApiDocument = (version: string) => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, routeKey] of Object.entries(ROUTES)) {
    const [method = '', route = ''] = routeKey.split(' ');
    // A greedy variable is API Gateway's notion; to a client it is a path parameter whose slashes are escaped.
    const path = route.replace('+}', '}');
    const described = operation(operationId, path, DESCRIPTIONS[nameOf(operationId)]);
    paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley management API',
      version,
      description:
        'For internal systems and operators. Every call is signed with AWS Signature Version 4, service execute-api.',
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
          description: 'AWS Signature Version 4; the signer needs execute-api:Invoke on the route.',
          'x-amazon-apigateway-authtype': 'awsSigv4',
        },
      },
    },
  };
};

/** The document as docs/ has it. */
export const managementApiText = (version: string): string =>
  `${JSON.stringify(managementApiDocument(version), null, 2)}\n`;

const nameOf = (operationId: string): RouteName => {
  if (!isRouteName(operationId)) throw new Error(`The route ${operationId} is not described.`);
  return operationId;
};

const isRouteName = (name: string): name is RouteName => name in DESCRIPTIONS;

const operation = (
  operationId: string,
  path: string,
  { summary, description, query, body, answers }: RouteDescription,
) => ({
  operationId,
  summary,
  ...(description !== undefined && { description }),
  parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
  ...(body && {
    requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input') } } },
  }),
  responses: {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, schema]) => [
        status,
        {
          description: MEANING[Number(status)],
          content: { 'application/json': { schema: jsonSchema(schema, 'output') } },
        },
      ]),
    ),
    403: { description: MEANING[403] },
  },
});

const pathParameters = (path: string) =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParameters = (query: Schema) =>
  Object.entries(jsonSchema(query, 'input').properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));

const jsonSchema = (schema: Schema, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};
