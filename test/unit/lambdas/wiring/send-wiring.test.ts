import { describe, expect, it } from 'vitest';
import { optOutConfirmationId } from '../../../../lambdas/domain/keywords/opt-out-confirmation.ts';
import type { BulkEnvironment } from '../../../../lambdas/send/bulk/environment.ts';
import type { SendEnvironment } from '../../../../lambdas/send/environment.ts';
import { NOW, RETENTION_DAYS } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { refuse, type Scenario } from './wired-function.ts';
import { describeWiring, startedFunctions } from './wiring.ts';

const NUMBER = '+5491155550000';
const HOUR_MS = 60 * 60 * 1000;
const before = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString();

const batch = (queue: string, ...bodies: readonly object[]) => ({
  Records: bodies.map((body, index) => ({
    ...sqsRecord(JSON.stringify(body), {
      MessageGroupId: `group-${index}`,
      MessageDeduplicationId: `one-${index}`,
      SentTimestamp: String(Date.parse(NOW) - HOUR_MS),
    }),
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
  })),
});

const REPLY = { requestId: 'request-1', platformContactId: NUMBER, messageText: 'Hello' };
const CONTACT = { address: NUMBER, lastInboundAt: before(HOUR_MS) };

/** A request to a contact whose window is open. */
const given = (changes: object = {}, scenario: Partial<Scenario> = {}, queue = 'send.fifo'): Scenario => {
  const request = { ...REPLY, ...changes };
  return {
    events: [batch(queue, request)],
    items: { CONTACT },
    updated: { pk: 'SEND#request-1', sk: 'SEND', state: 'claimed', body: JSON.stringify(request), attempts: 1 },
    ...scenario,
  };
};
const TEMPLATE = { messageText: undefined, ruleNameOrId: 'welcome', reason: 'payment' };
const closed = (changes: object = {}, scenario: Partial<Scenario> = {}) =>
  given(changes, { items: { CONTACT: { ...CONTACT, lastInboundAt: before(48 * HOUR_MS) } }, ...scenario });
const OPTED_OUT = {
  items: {
    CONTACT,
    CONSENT: { userOptOutAt: before(HOUR_MS), userOptOutSource: 'keyword STOP', userOptOutMessageId: 'in-1' },
  },
};
const malformed = (queue: string): Scenario => ({ events: [batch(queue, { requestId: 'request-1' })] });
const FAILING = { answers: { BatchGetItem: refuse, GetItem: refuse, UpdateItem: refuse } };
const BULK = {
  BULK_SEND_QUEUE_URL: '{aws}/bulk.fifo',
  BULK_SEND_DEAD_LETTER_QUEUE_URL: '{aws}/bulk-dead.fifo',
  BULK_MAX_CONCURRENT_CALLS: '10',
};
const later = given({ sendAt: new Date(Date.parse(NOW) + 24 * HOUR_MS).toISOString() });
/** The first call is made alone. */
const three = (queue: string): Scenario => ({
  ...given(),
  events: [batch(queue, ...[1, 2, 3].map((one) => ({ ...REPLY, requestId: `request-${one}` })))],
});
/** A template to a user who opted in and has not written. */
const first = (consents: object, variables = {}) =>
  given(TEMPLATE, {
    items: { CONSENT: { userOptInAt: before(48 * HOUR_MS), userOptInSource: 'form', ...consents } },
    variables,
  });
/** The expiry of what is stored now, after some days. */
const expiry = (days: number) => String(Date.parse(NOW) / 1000 + days * 86_400);

const USUAL: { readonly [Name in keyof (SendEnvironment & BulkEnvironment)]: string | undefined } = {
  TABLE_NAME: 'table',
  AWS_ENDPOINT_URL_DYNAMODB: '{aws}',
  AWS_ENDPOINT_URL_SECRETS_MANAGER: '{aws}',
  SEND_QUEUE_URL: '{aws}/send.fifo',
  SEND_DEAD_LETTER_QUEUE_URL: '{aws}/dead.fifo',
  BULK_SEND_QUEUE_URL: undefined,
  BULK_SEND_DEAD_LETTER_QUEUE_URL: undefined,
  BULK_MAX_CONCURRENT_CALLS: undefined,
  BULK_CALL_INTERVAL_MS: undefined,
  ACCESS_TOKEN_SECRET_ID: 'token',
  CHAT_SERVICE_URL: '{aws}',
  CHAT_PLATFORM: 'chat',
  CHAT_CHANNEL_NUMBER: '+5491100000000',
  WINDOW_PER: 'user',
  WINDOW_MARGIN_SECONDS: '60',
  DEFAULT_NOT_AFTER: undefined,
  DEFAULT_TEMPLATE: undefined,
  NUMBER_FORMAT: 'verbatim',
  CLIENT_PAYLOAD: 'off',
  CONTACT_CHECK: 'off',
  CONTACT_CHECK_PATH: 'customer/checkContact',
  ANSWER_TIMEOUT_SECONDS: '10',
  MAX_CONCURRENT_CALLS: '10',
  TEMPLATES: undefined,
  OPERATORS: undefined,
  OPT_OUT_EXEMPT_REASONS: '[]',
  OPT_OUT_CONFIRMATION: undefined,
  SCHEDULE_GROUP_NAME: 'group',
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::000000000000:role/schedules',
  SCHEDULE_DEAD_LETTER_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:lost',
  SCHEDULE_KEY_ARN: undefined,
  RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
};

describeWiring<SendEnvironment & BulkEnvironment>('send', USUAL, {
  TABLE_NAME: [given(), ['one', '"TableName":"one"'], ['other', '"TableName":"other"']],
  AWS_ENDPOINT_URL_DYNAMODB: [given(), ['{aws}', 'GetItem 127.0.0.1'], ['{alias}', 'GetItem localhost']],
  AWS_ENDPOINT_URL_SECRETS_MANAGER: [
    given(),
    ['{aws}', 'GetSecretValue 127.0.0.1'],
    ['{alias}', 'GetSecretValue localhost'],
  ],
  SEND_QUEUE_URL: [
    given({}, FAILING),
    ['{aws}/one.fifo', 'ChangeMessageVisibilityBatch one.fifo'],
    ['{aws}/other.fifo', 'ChangeMessageVisibilityBatch other.fifo'],
  ],
  SEND_DEAD_LETTER_QUEUE_URL: [
    malformed('send.fifo'),
    ['{aws}/one.fifo', 'SendMessage one.fifo'],
    ['{aws}/other.fifo', 'SendMessage other.fifo'],
  ],
  BULK_SEND_QUEUE_URL: [
    given({}, { ...FAILING, variables: BULK }, 'bulk.fifo'),
    [undefined, 'ChangeMessageVisibilityBatch send.fifo', 'RetriedMessageAge'],
    ['{aws}/bulk.fifo', 'ChangeMessageVisibilityBatch bulk.fifo', 'RetriedBulkMessageAge'],
  ],
  BULK_SEND_DEAD_LETTER_QUEUE_URL: [
    { ...malformed('bulk.fifo'), variables: BULK },
    ['{aws}/one.fifo', 'SendMessage one.fifo'],
    ['{aws}/other.fifo', 'SendMessage other.fifo'],
  ],
  BULK_MAX_CONCURRENT_CALLS: [
    { ...three('bulk.fifo'), variables: BULK },
    ['1', '"maxConnections":10}'],
    ['20', '"maxConnections":20', '2 calls at once'],
  ],
  BULK_CALL_INTERVAL_MS: [given({}, { variables: BULK }, 'bulk.fifo'), ['500', 'sleep 500\n'], ['700', 'sleep 700\n']],
  ACCESS_TOKEN_SECRET_ID: [given(), ['one', '"SecretId":"one"'], ['other', '"SecretId":"other"']],
  CHAT_SERVICE_URL: [given(), ['{aws}/one', 'chat /one/api/'], ['{aws}/other', 'chat /other/api/']],
  CHAT_PLATFORM: [
    given(),
    ['one', '"chatPlatform":"one"', 'CONTACT#one#', 'ACCOUNT#one#'],
    ['other', '"chatPlatform":"other"', 'CONTACT#other#', 'ACCOUNT#other#'],
  ],
  CHAT_CHANNEL_NUMBER: [
    given({}, { variables: { WINDOW_PER: 'channel' } }),
    ['+5491100000000', '"chatChannelNumber":"+5491100000000"', 'CONTACT#chat#541100000000#', '+5491100000000"}'],
    ['+5491100000001', '"chatChannelNumber":"+5491100000001"', 'CONTACT#chat#541100000001#', '+5491100000001"}'],
  ],
  WINDOW_PER: [given(), ['user', 'CONTACT#chat#*#'], ['channel', 'CONTACT#chat#541100000000#']],
  WINDOW_MARGIN_SECONDS: [
    given({}, { items: { CONTACT: { ...CONTACT, lastInboundAt: before(23 * HOUR_MS) } } }),
    ['3599', 'message/v3'],
    ['3600', 'WINDOW_CLOSED'],
  ],
  DEFAULT_NOT_AFTER: [given(), [undefined, 'message/v3'], ['PT10M', 'send expired']],
  DEFAULT_TEMPLATE: [
    closed({ reason: 'payment' }),
    [undefined, 'WINDOW_CLOSED'],
    ['{"ruleNameOrId":"welcome"}', 'intent/v2'],
  ],
  NUMBER_FORMAT: [
    given(),
    ['verbatim', '"platformContactId":"+5491155550000","messageText', '"chatChannelNumber":"+5491100000000"'],
    ['digits', '"platformContactId":"5491155550000"', '"chatChannelNumber":"5491100000000"'],
  ],
  CLIENT_PAYLOAD: [given(), ['off'], ['all', '"clientPayload":"request-1"']],
  CONTACT_CHECK: [first({}), ['off'], ['beforeFirstTemplate', 'chat /api/v1.0/customer/checkContact']],
  CONTACT_CHECK_PATH: [
    first({}, { CONTACT_CHECK: 'beforeFirstTemplate' }),
    ['customer/one', '/api/v1.0/customer/one'],
    ['customer/other', '/api/v1.0/customer/other'],
  ],
  ANSWER_TIMEOUT_SECONDS: [
    given(),
    ['10', '"answerTimeoutMs":10000', '"2026-11-20T12:02:30.000Z"'],
    ['11', '"answerTimeoutMs":11000', '"2026-11-20T12:02:34.000Z"'],
  ],
  MAX_CONCURRENT_CALLS: [
    three('send.fifo'),
    ['1', '"maxConnections":1}'],
    ['20', '"maxConnections":20', '2 calls at once'],
  ],
  TEMPLATES: [closed(TEMPLATE), [undefined, 'intent/v2'], ['{"welcome":["name"]}', 'PARAMS_INVALID']],
  OPERATORS: [
    given({ automated: true }, { items: { CONTACT, HANDOVER: { handoverAt: before(HOUR_MS) } } }),
    [undefined, 'message/v3'],
    ['{"echoes":true}', 'HANDED_OVER'],
  ],
  OPT_OUT_EXEMPT_REASONS: [
    first({ userOptOutAt: before(HOUR_MS), userOptOutSource: 'form' }),
    ['[]', 'OPTED_OUT'],
    ['["payment"]', 'intent/v2'],
  ],
  OPT_OUT_CONFIRMATION: [
    given({ requestId: optOutConfirmationId('in-1'), messageText: undefined, confirmsOptOut: true }, OPTED_OUT),
    [undefined, 'send refused'],
    ['Bye', '"messageText":"Bye"'],
  ],
  SCHEDULE_GROUP_NAME: [later, ['one', '"GroupName":"one"'], ['other', '"GroupName":"other"']],
  SCHEDULE_ROLE_ARN: [
    later,
    ['arn:aws:iam::000000000000:role/one', '"RoleArn":"arn:aws:iam::000000000000:role/one"'],
    ['arn:aws:iam::000000000000:role/other', '"RoleArn":"arn:aws:iam::000000000000:role/other"'],
  ],
  SCHEDULE_DEAD_LETTER_QUEUE_ARN: [
    later,
    ['arn:aws:sqs:us-east-1:000000000000:one', '"DeadLetterConfig":{"Arn":"arn:aws:sqs:us-east-1:000000000000:one"}'],
    ['arn:aws:sqs:us-east-1:000000000000:two', '"DeadLetterConfig":{"Arn":"arn:aws:sqs:us-east-1:000000000000:two"}'],
  ],
  SCHEDULE_KEY_ARN: [later, [undefined], ['arn:aws:kms:::key/one', '"KmsKeyArn":"arn:aws:kms:::key/one"']],
  RETENTION_DAYS: [
    given(),
    [JSON.stringify({ ...RETENTION_DAYS, sends: 1 }), expiry(1)],
    [JSON.stringify({ ...RETENTION_DAYS, sends: 2 }), expiry(2)],
  ],
});

describe('the lanes and times of send', () => {
  const run = startedFunctions();

  const outcomeOf = async (scenario: Scenario) =>
    (await run('send', { ...USUAL, ...scenario.variables }, scenario)).join('\n');

  it('starts a message with 85 seconds left, enough for two calls, and not with less', async () => {
    expect(await outcomeOf(given({}, { remainingMs: 85_000 }))).toContain('message/v3');
    expect(await outcomeOf(given({}, { remainingMs: 84_999 }))).not.toContain('UpdateItem');
  });

  it('leases a probe for longer than the two calls before it ends', async () => {
    const ACCOUNT = { circuit: 'open', reason: 'no-credit', why: '101', openedAt: NOW, nextProbeAt: NOW };
    const outcome = await outcomeOf(given({}, { items: { CONTACT, ACCOUNT } }));
    expect(outcome).toContain('"2026-11-20T12:02:39.000Z"');
  });

  it('schedules a request from the queue that it came from', async () => {
    const sendAt = new Date(Date.parse(NOW) + 24 * HOUR_MS).toISOString();
    const isScheduledFrom = (queue: string) =>
      expect.stringMatching(new RegExp(`POSTSchedule .*/${queue}.*MessageBody`));
    expect(await outcomeOf(given({ sendAt }, { variables: BULK }, 'bulk.fifo'))).toEqual(isScheduledFrom('bulk.fifo'));
    expect(await outcomeOf(given({ sendAt }, { variables: BULK }))).toEqual(isScheduledFrom('send.fifo'));
  });
});
