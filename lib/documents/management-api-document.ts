import { type core, toJSONSchema } from 'zod';
import {
  confinableIdField,
  ID_IN_QUERY,
  idNameOf,
  noBody,
  problemResponse,
  type RouteDescription,
} from '../../lambdas/manage/api/api.ts';
import { contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { erasureResponse } from '../../lambdas/manage/api/erasures.ts';
import type { RouteName } from '../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../lambdas/manage/api/routes.ts';
import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import { sendingResponse } from '../../lambdas/manage/api/sending-stops.ts';
import { enqueueResponse, sendResponse } from '../../lambdas/manage/api/sends.ts';
import { ROUTE_SAMPLES, type RouteSample } from './management-api-samples.ts';

/** A schema of zod or zod/mini. */
type Schema = core.$ZodType;

/** The responses that several routes share, by the name that generators of code give them. */
const SHARED_RESPONSES: Readonly<Record<string, Schema>> = {
  Problem: problemResponse,
  Contact: contactResponse,
  Erasure: erasureResponse,
  QueuedSend: enqueueResponse,
  Send: sendResponse,
  Sends: sendListResponse,
  Sending: sendingResponse,
};

const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done',
  202: 'Accepted',
  400: 'Invalid request. The message says why.',
  403: 'Unsigned or not allowed. API Gateway sends this response.',
  404: 'Not found',
  409: 'Conflict with the current state',
  502: 'The chat service failed',
};

/** The routes by what they are about. */
export const TAGS = {
  Contacts: ['getContact', 'eraseContact', 'getErasure', 'checkContacts', 'optIn', 'optOut', 'handOver', 'handBack'],
  Messages: ['getConversation', 'getMessage', 'importEvents'],
  Sends: [
    ...(['enqueueSend', 'enqueueSendById', 'getSend', 'listSends', 'countSends', 'forecastSends'] as const),
    ...(['cancelSend', 'cancelSendById', 'listUncertainSends', 'resolveSend', 'requeueSend'] as const),
  ],
  'Dead letters': ['listDeadLetters', 'getDeadLetter', 'deleteDeadLetter', 'redriveDeadLetters'],
  'The stage': ['getStage', 'listChannels', 'listGaps', 'stopSending', 'resumeSending', 'closeCircuitBreaker'],
  'The audit trail': ['listAudit', 'recordAudit'],
} as const satisfies Readonly<Record<string, readonly RouteName[]>>;

/** Returns the OpenAPI 3.1 document of the management API, generated from the function's own schemas. */
export function managementApiDocument(version: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [tag, names] of Object.entries(TAGS))
    for (const operationId of names) {
      const description: RouteDescription = ROUTES[operationId];
      const [method = '', route = ''] = description.route.split(' ');
      // Greedy variables exist only in API Gateway. In OpenAPI, they are path parameters with escaped slashes.
      const path = route.replace('+}', '}');
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation(operationId, tag, path, description) };
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley management API',
      version,
      description:
        'For internal systems and operators. Sign every request with AWS Signature Version 4 for the service ' +
        'execute-api.',
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
      schemas: Object.fromEntries(
        Object.entries(SHARED_RESPONSES).map(([name, schema]) => [name, jsonSchema(schema, 'output')]),
      ),
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

/** Returns the content of docs/management-api.json, before it is formatted. */
export const managementApiText = (version: string): string => JSON.stringify(managementApiDocument(version));

/** Returns the status of a sample's response. */
export const statusOf = ({ status }: RouteSample, { responses }: RouteDescription): number =>
  status ?? Math.min(...Object.keys(responses).map(Number));

function operation(operationId: RouteName, tag: string, path: string, route: RouteDescription) {
  const sample = ROUTE_SAMPLES[operationId];
  const { summary, description, query, body, responses } = route;
  const described = Object.entries(responses).map(([status, schema]) => [
    status,
    {
      description: STATUS_DESCRIPTIONS[Number(status)],
      content: jsonContent(
        responseSchema(schema),
        Number(status) === statusOf(sample, route) ? sample.response : undefined,
      ),
    },
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: [...pathParameters(path, route), ...idInQuery(path, route), ...queryParameters(query, sample)],
    ...(body !== noBody && {
      requestBody: { required: true, content: jsonContent(jsonSchema(body, 'input'), sample.request) },
    }),
    responses: { ...Object.fromEntries(described), 403: { description: STATUS_DESCRIPTIONS[403] } },
  };
}

function pathParameters(path: string, { id }: RouteDescription) {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: id ? jsonSchema(id, 'input') : { type: 'string' },
  }));
}

function idInQuery(path: string, { id }: RouteDescription) {
  const name = id === confinableIdField ? undefined : idNameOf(path);
  const description = `The ID, if it contains a question mark. The path then has ${ID_IN_QUERY} in its place.`;
  return name === undefined ? [] : [{ name, in: 'query', required: false, description, schema: { type: 'string' } }];
}

function queryParameters(query: Schema, { query: examples = {} }: RouteSample) {
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(examples[name] !== undefined && { example: examples[name] }),
  }));
}

/** Returns a reference to a shared response, or the schema of any other. */
function responseSchema(schema: Schema): object {
  const [name] = Object.entries(SHARED_RESPONSES).find(([, shared]) => shared === schema) ?? [];
  return name === undefined ? jsonSchema(schema, 'output') : { $ref: `#/components/schemas/${name}` };
}

function jsonContent(schema: object, example: object | undefined) {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

function jsonSchema(schema: Schema, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
