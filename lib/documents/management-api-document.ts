import { type core, toJSONSchema } from 'zod';
import { messageRecord } from '../../lambdas/domain/message.ts';
import { problemResponse } from '../../lambdas/manage/api/answer.ts';
import { auditEntryResponse } from '../../lambdas/manage/api/audit.ts';
import { contactResponse } from '../../lambdas/manage/api/contacts.ts';
import { ID_IN_QUERY, idNameOf, noBody, type RouteDescription } from '../../lambdas/manage/api/define-route.ts';
import { erasureResponse } from '../../lambdas/manage/api/erasures.ts';
import { confinableIdField } from '../../lambdas/manage/api/fields.ts';
import type { RouteName } from '../../lambdas/manage/api/route-name.ts';
import { ROUTES } from '../../lambdas/manage/api/routes.ts';
import { sendListResponse } from '../../lambdas/manage/api/send-lists.ts';
import { sendingResponse, sendingView } from '../../lambdas/manage/api/sending-stops.ts';
import { enqueueResponse, sendResponse } from '../../lambdas/manage/api/sends.ts';
import { circuitBreakerView } from '../../lambdas/manage/api/stage.ts';
import { ROUTE_SAMPLES, type RouteSample } from './management-api-samples.ts';
import { TAGS } from './management-api-tags.ts';

/** A schema of zod or zod/mini. */
type Schema = core.$ZodType;

/** The parts that several schemas share, by the name that generators of code give them. */
const SHARED_OUTPUTS: Readonly<Record<string, Schema>> = {
  Problem: problemResponse,
  Contact: contactResponse,
  Erasure: erasureResponse,
  QueuedSend: enqueueResponse,
  Send: sendResponse,
  Sends: sendListResponse,
  Sending: sendingResponse,
  SendingState: sendingView,
  CircuitBreaker: circuitBreakerView,
  AuditEntry: auditEntryResponse,
  Media: messageRecord.shape.media,
  ContactCards: messageRecord.shape.contactCards,
  Location: messageRecord.shape.location,
};
const SHARED_INPUTS: Readonly<Record<string, Schema>> = {
  Consent: ROUTES.optIn.body,
  Handover: ROUTES.handOver.body,
  Separation: ROUTES.separateCustomer.body,
  SendReference: ROUTES.cancelSend.body,
  Note: ROUTES.resumeSending.body,
};

const STATUSES: Readonly<Record<number, { readonly name: string; readonly description: string }>> = {
  200: { name: 'Done', description: 'Done' },
  202: { name: 'Accepted', description: 'Accepted' },
  400: { name: 'InvalidRequest', description: 'Invalid request. The message says why.' },
  403: { name: 'Forbidden', description: 'Unsigned or not allowed. API Gateway sends this response.' },
  404: { name: 'NotFound', description: 'Not found' },
  409: { name: 'Conflict', description: 'Conflict with the current state' },
  502: { name: 'ChatServiceFailed', description: 'The chat service failed' },
};

/** Returns the OpenAPI 3.1 document of the management API, generated from the function's own schemas. */
export function managementApiDocument(version: string) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [tag, names] of Object.entries(TAGS))
    for (const operationId of names) {
      const description: RouteDescription = ROUTES[operationId];
      const [method = '', route = ''] = description.route.split(' ');
      // Greedy variables exist only in API Gateway. In OpenAPI, they are path parameters with escaped slashes.
      const path = route.replace('+}', '}');
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation(operationId, tag, path, description) };
    }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const shared = {
    schemas: { ...schemas(SHARED_OUTPUTS, 'output'), ...schemas(SHARED_INPUTS, 'input') },
    parameters: repeatedParameters(operations),
    responses: failures(),
  };
  const { refer, referWithin } = referringTo(shared);
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
    paths: mapValues(paths, (methods) => mapValues(methods, refer)),
    components: {
      schemas: mapValues(shared.schemas, referWithin),
      parameters: mapValues(shared.parameters, referWithin),
      responses: mapValues(shared.responses, referWithin),
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

type Operation = ReturnType<typeof operation>;

function operation(operationId: RouteName, tag: string, path: string, route: RouteDescription) {
  const sample = ROUTE_SAMPLES[operationId];
  const { summary, description, query, body, responses } = route;
  const described = Object.entries(responses).map(([status, schema]) => [
    status,
    response(Number(status), schema, Number(status) === statusOf(sample, route) ? sample.response : undefined),
  ]);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: [...pathParameters(path, route), ...idInQuery(path, route), ...queryParameters(query)],
    ...(body !== noBody && {
      requestBody: { required: true, content: jsonContent(jsonSchema(body, 'input'), sample.request) },
    }),
    responses: { ...Object.fromEntries(described), 403: response(403) },
  };
}

function response(status: number, schema?: Schema, example?: object) {
  const description = STATUSES[status]?.description ?? '';
  return { description, ...(schema && { content: jsonContent(jsonSchema(schema, 'output'), example) }) };
}

/** Returns the responses that say why a call was not carried out, by their names. */
const failures = () =>
  Object.fromEntries(
    Object.entries(STATUSES).flatMap(([status, { name }]) => {
      const schema = status === '403' ? undefined : problemResponse;
      return Number(status) < 400 ? [] : [[name, response(Number(status), schema)]];
    }),
  );

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: unknown;
}

function pathParameters(path: string, { id }: RouteDescription): readonly Parameter[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: id ? jsonSchema(id, 'input') : { type: 'string' },
  }));
}

function idInQuery(path: string, { id }: RouteDescription): readonly Parameter[] {
  const name = id === confinableIdField ? undefined : idNameOf(path);
  const description = `The ID, if it contains a question mark. The path then has ${ID_IN_QUERY} in its place.`;
  return name === undefined ? [] : [{ name, in: 'query', required: false, description, schema: { type: 'string' } }];
}

function queryParameters(query: Schema): readonly Parameter[] {
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** Returns the parameters that several operations have, by their names. */
function repeatedParameters(operations: readonly Operation[]): Readonly<Record<string, Parameter>> {
  const same = Map.groupBy(
    operations.flatMap(({ parameters }) => parameters),
    (parameter) => JSON.stringify(parameter),
  );
  const repeated = [...same.values()].flatMap(([first, second]) => (first && second ? [first] : []));
  return Object.fromEntries(repeated.map((parameter) => [`${parameter.name}In${TITLES[parameter.in]}`, parameter]));
}

const TITLES = { path: 'Path', query: 'Query' } as const;

type Parts = Readonly<Record<string, unknown>>;

/** Returns functions that replace shared parts by references to them: a value, or what is within a value. */
const referringTo = (shared: Readonly<Record<string, Parts>>) => {
  const references = new Map(
    Object.entries(shared).flatMap(([kind, parts]) =>
      Object.entries(parts).map(([name, part]) => [JSON.stringify(part), { $ref: `#/components/${kind}/${name}` }]),
    ),
  );
  const refer = (value: unknown): unknown => references.get(JSON.stringify(value)) ?? referWithin(value);
  const referWithin = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    return typeof value === 'object' && value !== null ? mapValues({ ...value }, refer) : value;
  };
  return { refer, referWithin };
};

const mapValues = <Value, Result>(values: Readonly<Record<string, Value>>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

function jsonContent(schema: object, example: object | undefined) {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

const schemas = (named: Readonly<Record<string, Schema>>, io: 'input' | 'output'): Parts =>
  mapValues(named, (schema) => jsonSchema(schema, io));

function jsonSchema(schema: Schema, io: 'input' | 'output') {
  const { $schema: _dialect, ...rest } = toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
