import { Lazy } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import type { ManageEnvironment } from '../../../../lambdas/manage/environment.ts';
import type { PublishEnvironment } from '../../../../lambdas/publish/environment.ts';
import type { TurnEnvironment } from '../../../../lambdas/publish/turns/environment.ts';
import type { ReceiveEnvironment } from '../../../../lambdas/receive/environment.ts';
import type { BulkEnvironment } from '../../../../lambdas/send/bulk/environment.ts';
import type { SendEnvironment, SendRulesEnvironment } from '../../../../lambdas/send/environment.ts';
import { splitVariables } from '../../../../lib/constructs/function-variables.ts';
import { synthesizedStack } from '../synthesized-stack.ts';

/** A value for each variable: the text, or the resource that it names. */
type Values<Environment> = { readonly [Name in keyof Environment]-?: string };

// No setting has its default, and no two have the same value.
const { template } = synthesizedStack('prod', {
  customerManagedKey: true,
  chatService: {
    baseUrl: 'https://service.bank.internal',
    contactCheckPath: 'customer/other',
    answerTimeoutSeconds: 11,
    numberFormat: 'digits',
    clientPayload: 'all',
    maxConcurrentCalls: 30,
  },
  chatPlatform: 'other',
  chatChannelNumber: '+5491144440001',
  webhook: { auth: { kind: 'shared-token', header: 'x-token' }, watch: true },
  window: { per: 'channel', marginSeconds: 90 },
  sends: { notAfter: 'PT10M', bulkLane: { maxConcurrentCalls: 14, maxCallsPerSecond: 10 } },
  contactCheck: 'beforeFirstTemplate',
  optOutExemptReasons: ['payment'],
  keywords: { languages: ['es'], optIn: ['¡Alta!'], confirmation: 'Bye' },
  operators: { echoField: 'OPERATOR_ID', handoverMinutes: 60 },
  turns: { silenceSeconds: 9 },
  templates: { welcome: ['name'] },
  defaultTemplate: { ruleNameOrId: 'hello' },
  retentionDays: { messages: 41, sends: 42, contacts: 43, audit: 44 },
  events: { content: true, targets: [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm' }] },
});
const RETENTION_DAYS = '{"messages":41,"sends":42,"contacts":43,"audit":44,"logs":30}';
const KEYWORDS = '{"optOut":["STOP","BAJA","DAR DE BAJA","PARAR"],"optIn":["ALTA"]}';
const OPERATOR_ECHOES = '{"field":"OPERATOR_ID","handoverMinutes":60}';
const url = (service: string) => `https://${service}.AWS::Region.AWS::URLSuffix`;

const SEND_RULES: Values<SendRulesEnvironment> = {
  CHAT_PLATFORM: 'other',
  CHAT_CHANNEL_NUMBER: '+5491144440001',
  WINDOW_MARGIN_SECONDS: '90',
  DEFAULT_TEMPLATE: '{"ruleNameOrId":"hello"}',
  NUMBER_FORMAT: 'digits',
  CONTACT_CHECK: 'beforeFirstTemplate',
  TEMPLATES: '{"welcome":["name"]}',
  OPERATORS: '{"echoes":true}',
  OPT_OUT_EXEMPT_REASONS: '["payment"]',
};
const RECEIVE: Values<ReceiveEnvironment> = {
  TABLE_NAME: 'Table',
  AWS_ENDPOINT_URL_DYNAMODB: url('dynamodb'),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url('secretsmanager'),
  INBOUND_QUEUE_URL: 'ReceiverInboundQueue',
  INBOUND_DEAD_LETTER_QUEUE_URL: 'ReceiverInboundQueueDeadLetters',
  WEBHOOK_AUTH: '{"kind":"shared-token","header":"x-token","envelope":"none"}',
  WEBHOOK_SECRET_ID: 'ReceiverWebhookSecret',
  WINDOW_PER: 'channel',
  KEYWORDS,
  SEND_QUEUE_URL: 'SenderSendQueue',
  OPERATOR_ECHOES,
  TURNS: 'true',
  WATCH: 'true',
  CHAT_PLATFORM: 'other',
  CHAT_CHANNEL_NUMBER: '+5491144440001',
  RETENTION_DAYS,
};
const SEND: Values<SendEnvironment & BulkEnvironment> = {
  ...SEND_RULES,
  CLIENT_PAYLOAD: 'all',
  OPT_OUT_CONFIRMATION: 'Bye',
  TABLE_NAME: 'Table',
  AWS_ENDPOINT_URL_DYNAMODB: url('dynamodb'),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url('secretsmanager'),
  SEND_QUEUE_URL: 'SenderSendQueue',
  SEND_DEAD_LETTER_QUEUE_URL: 'SenderSendQueueDeadLetters',
  ACCESS_TOKEN_SECRET_ID: 'SenderAccessToken',
  CHAT_SERVICE_URL: 'https://service.bank.internal',
  WINDOW_PER: 'channel',
  DEFAULT_NOT_AFTER: 'PT10M',
  CONTACT_CHECK_PATH: 'customer/other',
  ANSWER_TIMEOUT_SECONDS: '11',
  MAX_CONCURRENT_CALLS: '10',
  SCHEDULE_GROUP_NAME: 'Parley-prod',
  SCHEDULE_ROLE_ARN: 'SenderSchedulesRole.Arn',
  SCHEDULE_DEAD_LETTER_QUEUE_ARN: 'SenderSchedulesDeadLetters.Arn',
  SCHEDULE_KEY_ARN: 'TableKey.Arn',
  RETENTION_DAYS,
  BULK_SEND_QUEUE_URL: 'SenderBulkSendQueue',
  BULK_SEND_DEAD_LETTER_QUEUE_URL: 'SenderBulkSendQueueDeadLetters',
  // Two invocations share the 14 calls and the pace.
  BULK_MAX_CONCURRENT_CALLS: '7',
  BULK_CALL_INTERVAL_MS: '200',
};
const PUBLISH: Values<PublishEnvironment & TurnEnvironment> = {
  EVENT_BUS_NAME: 'PublisherEventBus',
  AWS_ENDPOINT_URL_EVENTBRIDGE: url('events'),
  PUBLISH_DEAD_LETTER_QUEUE_URL: 'PublisherPublishFailures',
  EVENT_CONTENT: 'true',
  TURN_QUEUE_URL: 'PublisherTurnQueue',
  TURN_SILENCE_SECONDS: '9',
  TABLE_NAME: 'Table',
  AWS_ENDPOINT_URL_DYNAMODB: url('dynamodb'),
  RETENTION_DAYS,
};
const MANAGE: Values<ManageEnvironment> = {
  ...SEND_RULES,
  TABLE_NAME: 'Table',
  AWS_ENDPOINT_URL_DYNAMODB: url('dynamodb'),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url('secretsmanager'),
  SEND_QUEUE_URL: 'SenderSendQueue',
  BULK_SEND_QUEUE_URL: 'SenderBulkSendQueue',
  ERASURE_QUEUE_URL: 'ManagementErasureQueue',
  SEND_DEAD_LETTER_QUEUE_URL: 'SenderSendQueueDeadLetters',
  BULK_SEND_DEAD_LETTER_QUEUE_URL: 'SenderBulkSendQueueDeadLetters',
  SCHEDULE_DEAD_LETTER_QUEUE_URL: 'SenderSchedulesDeadLetters',
  INBOUND_DEAD_LETTER_QUEUE_URL: 'ReceiverInboundQueueDeadLetters',
  INBOUND_QUEUE_URL: 'ReceiverInboundQueue',
  ERASURE_DEAD_LETTER_QUEUE_URL: 'ManagementErasureQueueDeadLetters',
  DEAD_LETTER_QUEUE_URLS: '["PublisherPublishFailures","PublisherTargetsDeadLetters"]',
  EVENT_BUS_NAME: 'PublisherEventBus',
  AWS_ENDPOINT_URL_EVENTBRIDGE: url('events'),
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: url('streams.dynamodb'),
  EVENT_CONTENT: 'true',
  PUBLISH_FAILURES_QUEUE_URL: 'PublisherPublishFailures',
  UNDELIVERED_EVENTS_QUEUE_URL: 'PublisherTargetsDeadLetters',
  ACCESS_TOKEN_SECRET_ID: 'SenderAccessToken',
  CHAT_SERVICE_URL: 'https://service.bank.internal',
  WINDOW_PER: 'channel',
  CONTACT_CHECK_PATH: 'customer/other',
  DEFAULT_NOT_AFTER: 'PT10M',
  KEYWORDS,
  OPERATOR_ECHOES,
  SCHEDULE_GROUP_NAME: 'Parley-prod',
  WATCH: 'true',
  RETENTION_DAYS,
};

/** The variables of a function as deployed, without those of the logger and the metrics. */
const variablesOf = (deployed: Template, service: string): Readonly<Record<string, string>> => {
  const functions = deployed.findResources('AWS::Lambda::Function', {
    Properties: { Environment: { Variables: { POWERTOOLS_SERVICE_NAME: service } } },
  });
  const [variables] = Object.values(functions).map(({ Properties }) => Properties.Environment.Variables);
  const { POWERTOOLS_SERVICE_NAME, POWERTOOLS_METRICS_NAMESPACE, ...own } = variables;
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [name, textOf(value)]));
};

test.each([
  { service: 'receive', values: RECEIVE },
  { service: 'send', values: SEND },
  { service: 'publish', values: PUBLISH },
  { service: 'manage', values: MANAGE },
])('$service has exactly the variables that it reads, each with its setting or its resource', ({ service, values }) => {
  expect(variablesOf(template, service)).toEqual(values);
});

test('A stage without content and without optional settings has no content and no variables for them', () => {
  const plain = synthesizedStack('prod').template;
  const missingOf = (service: string, values: object) => {
    const names = Object.keys(variablesOf(plain, service));
    return Object.keys(values).filter((name) => !names.includes(name));
  };

  for (const service of ['publish', 'manage']) expect(variablesOf(plain, service).EVENT_CONTENT).toBe('false');
  const rules = ['DEFAULT_TEMPLATE', 'TEMPLATES', 'OPERATORS'];
  expect(missingOf('receive', RECEIVE)).toEqual([
    'WEBHOOK_SECRET_ID',
    'KEYWORDS',
    'SEND_QUEUE_URL',
    'OPERATOR_ECHOES',
    'TURNS',
    'WATCH',
  ]);
  expect(missingOf('send', SEND)).toEqual([
    ...rules,
    'OPT_OUT_CONFIRMATION',
    'DEFAULT_NOT_AFTER',
    'SCHEDULE_KEY_ARN',
    'BULK_SEND_QUEUE_URL',
    'BULK_SEND_DEAD_LETTER_QUEUE_URL',
    'BULK_MAX_CONCURRENT_CALLS',
    'BULK_CALL_INTERVAL_MS',
  ]);
  expect(missingOf('publish', PUBLISH)).toEqual([
    'TURN_QUEUE_URL',
    'TURN_SILENCE_SECONDS',
    'TABLE_NAME',
    'AWS_ENDPOINT_URL_DYNAMODB',
    'RETENTION_DAYS',
  ]);
  expect(missingOf('manage', MANAGE)).toEqual([
    ...rules,
    'BULK_SEND_QUEUE_URL',
    'BULK_SEND_DEAD_LETTER_QUEUE_URL',
    'UNDELIVERED_EVENTS_QUEUE_URL',
    'DEFAULT_NOT_AFTER',
    'KEYWORDS',
    'OPERATOR_ECHOES',
    'WATCH',
  ]);
});

test('An operator without echoes is known to the rules as one whose messages are not recognized', () => {
  const { OPERATORS } = variablesOf(synthesizedStack('prod', { operators: {} }).template, 'send');
  expect(OPERATORS).toBe('{"echoes":false}');
});

/** A value with the names of the resources that CloudFormation fills in, without their hashes. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref: name, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = Object(value);
  if (joined !== undefined) return joined[1].map(textOf).join('');
  if (attribute !== undefined) return `${textOf({ Ref: attribute[0] })}.${attribute[1]}`;
  return String(name).replace(/[0-9A-F]{8}$/, '');
}

test('Large values move to a file in the code if they could exceed the 4 KB of an environment', () => {
  const reference = Lazy.string({ produce: () => 'x'.repeat(160) });
  const values = { TABLE_NAME: reference, TEMPLATES: 'x'.repeat(4_000), CHAT_PLATFORM: 'chat' };

  expect(splitVariables(values)).toEqual({
    small: { TABLE_NAME: reference, CHAT_PLATFORM: 'chat', VARIABLES_FILE: 'variables.json' },
    files: { 'variables.json': JSON.stringify({ TEMPLATES: values.TEMPLATES }) },
  });
  expect(splitVariables({ ...values, TEMPLATES: 'x'.repeat(2_000) }).files).toEqual({});
  // The room is counted in bytes.
  const confirmation = 'ありがとう'.repeat(30);
  expect(splitVariables({ ...values, TEMPLATES: 'é'.repeat(1_600), OPT_OUT_CONFIRMATION: confirmation })).toEqual({
    small: { TABLE_NAME: reference, CHAT_PLATFORM: 'chat', VARIABLES_FILE: 'variables.json' },
    files: { 'variables.json': JSON.stringify({ TEMPLATES: 'é'.repeat(1_600), OPT_OUT_CONFIRMATION: confirmation }) },
  });
});
