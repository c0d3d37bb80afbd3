import * as z from 'zod';
import type { Refusal } from '../service/model.ts';
import {
  camelCaseMessageEvent,
  contactCheckAnswer,
  contactCheckRequest,
  credentialsAnswer,
  errorAnswer,
  intentRequest,
  messageEvent,
  messageRequest,
  sendAnswer,
  statusEvent,
  v11MessageEvent,
  v11StatusEvent,
} from './contract-schemas.ts';
import { errorBody } from './read-request.ts';
import { refusalMessage, SERVICE_ERRORS } from './service-errors.ts';

interface Example {
  readonly name: string;
  readonly status: number;
  readonly value: ReturnType<typeof errorBody>;
}

/** The example of each refusal. */
const EXAMPLE_REFUSALS: { [Reason in Refusal['reason']]: Extract<Refusal, { reason: Reason }> } = {
  INSUFFICIENT_CREDIT: { reason: 'INSUFFICIENT_CREDIT' },
  WINDOW_CLOSED: { reason: 'WINDOW_CLOSED' },
  NOT_ON_PLATFORM: { reason: 'NOT_ON_PLATFORM', contact: '+5491155550000' },
  NO_OPT_IN: { reason: 'NO_OPT_IN', contact: '+5491155550000' },
  ACCOUNT_NOT_APPROVED: { reason: 'ACCOUNT_NOT_APPROVED' },
  INVALID_CHANNEL: { reason: 'INVALID_CHANNEL', chatChannelNumber: '+10000000' },
  UNKNOWN_RULE: { reason: 'UNKNOWN_RULE', ruleNameOrId: 'table_ready' },
  RULE_NOT_APPROVED: { reason: 'RULE_NOT_APPROVED', ruleName: 'table_ready' },
  MISSING_VARIABLE: { reason: 'MISSING_VARIABLE', names: ['table'] },
  NO_APPROVED_REASON: { reason: 'NO_APPROVED_REASON', ruleName: 'table_ready' },
  MEDIA_UNSUPPORTED: { reason: 'MEDIA_UNSUPPORTED', url: 'https://media.example/cat.gif' },
};

/** The errors that every endpoint can return. */
const COMMON_ERRORS: readonly Example[] = [
  { name: 'BODY_INVALID', status: 400, value: errorBody(400, 'The body is not JSON; send a JSON object.') },
  { name: 'BODY_TOO_LONG', status: 413, value: errorBody(413, 'The body is longer than 1048576 bytes; shorten it.') },
  { name: 'NO_JSON', status: 415, value: errorBody(415, 'Send the header Content-Type: application/json.') },
];

const UNAUTHORIZED = {
  description: 'The access token is missing, unknown, expired or revoked',
  content: { 'text/html': { schema: { type: 'string', const: '401 - Unauthorized' } } },
};

/** The refusals of both send endpoints. */
const SEND_REFUSALS = ['INSUFFICIENT_CREDIT', 'NOT_ON_PLATFORM', 'INVALID_CHANNEL'] as const;

/** Returns the contract's API as an OpenAPI document, generated from the schemas that parse its requests. */
export const openapiDocument = (url: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Business Messaging API',
    version: '1.0',
    description:
      'The sandbox of the chat service. docs/sandbox-contract.md lists the choices where the contract shows nothing.',
  },
  servers: [{ url: `${url}/api/v1.0` }],
  security: [{ accessToken: [] }],
  paths: {
    '/message/v3': {
      post: operation('sendMessage', 'Send a message', 'MessageRequest', 'SendAnswer', [
        ...SEND_REFUSALS,
        'WINDOW_CLOSED',
        'MEDIA_UNSUPPORTED',
      ]),
    },
    '/intent/v2': {
      post: operation('activateRule', 'Activate a rule or send a template', 'IntentRequest', 'SendAnswer', [
        ...SEND_REFUSALS,
        'NO_OPT_IN',
        'ACCOUNT_NOT_APPROVED',
        'UNKNOWN_RULE',
        'RULE_NOT_APPROVED',
        'MISSING_VARIABLE',
        'NO_APPROVED_REASON',
      ]),
    },
    '/customer/checkChatContact': {
      post: operation('checkContacts', 'Check contacts', 'ContactCheckRequest', 'ContactCheckAnswer', []),
    },
    '/auth/credentials': {
      get: {
        operationId: 'readCredentials',
        summary: 'Read the credentials that the access token belongs to',
        responses: { 200: { description: 'Success', content: jsonOf('CredentialsAnswer') }, 401: UNAUTHORIZED },
      },
    },
  },
  webhooks: {
    message: { post: event('A user sent a message', 'MessageEvent') },
    status: { post: event('A sent message was delivered or read', 'StatusEvent') },
    camelCaseMessage: { post: event('A message, in the event format camelCase', 'CamelCaseMessageEvent') },
    v11Message: { post: event('Messages, in the event format v1.1', 'V11MessageEvent') },
    v11Status: { post: event('The status of a sent message, in the event format v1.1', 'V11StatusEvent') },
  },
  components: {
    securitySchemes: { accessToken: { type: 'apiKey', in: 'header', name: 'access-token' } },
    schemas: {
      MessageRequest: jsonSchema(messageRequest),
      IntentRequest: jsonSchema(intentRequest),
      ContactCheckRequest: jsonSchema(contactCheckRequest),
      SendAnswer: jsonSchema(sendAnswer),
      ContactCheckAnswer: jsonSchema(contactCheckAnswer),
      CredentialsAnswer: jsonSchema(credentialsAnswer),
      ErrorAnswer: jsonSchema(errorAnswer),
      MessageEvent: jsonSchema(messageEvent),
      StatusEvent: jsonSchema(statusEvent),
      CamelCaseMessageEvent: jsonSchema(camelCaseMessageEvent),
      V11MessageEvent: jsonSchema(v11MessageEvent),
      V11StatusEvent: jsonSchema(v11StatusEvent),
    },
  },
});

const operation = (
  operationId: string,
  summary: string,
  request: string,
  answer: string,
  refusals: readonly Refusal['reason'][],
) => {
  const refused = refusals.map((name): Example => {
    const { status, code } = SERVICE_ERRORS[name];
    return { name, status, value: errorBody(code, refusalMessage(EXAMPLE_REFUSALS[name])) };
  });
  const byStatus = Object.groupBy([...COMMON_ERRORS, ...refused], ({ status }) => status);
  const errors = Object.entries(byStatus).map(([status, examples = []]) => [status, errorResponse(examples)]);
  return {
    operationId,
    summary,
    requestBody: { required: true, content: jsonOf(request) },
    responses: {
      200: { description: 'Success', content: jsonOf(answer) },
      ...Object.fromEntries(errors),
      401: UNAUTHORIZED,
    },
  };
};

const errorResponse = (examples: readonly Example[]) => ({
  description: examples.map(({ name, value }) => `${value.error.code} ${name}`).join(', '),
  content: {
    'application/json': {
      schema: reference('ErrorAnswer'),
      examples: Object.fromEntries(examples.map(({ name, value }) => [name, { value }])),
    },
  },
});

const event = (summary: string, schema: string) => ({
  summary,
  requestBody: { required: true, content: jsonOf(schema) },
  responses: { 200: { description: 'Acknowledged, like 102, 201, 202 and 204; any other status causes a redelivery' } },
});

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const jsonOf = (name: string) => ({ 'application/json': { schema: reference(name) } });

const jsonSchema = (schema: z.ZodType) => {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return described;
};
