import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ManageEnvironment } from '../../../../lambdas/manage/environment.ts';
import { NOW, RETENTION_DAYS, wireMessage } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { refuse, type Scenario } from './wired-function.ts';
import { describeWiring, startedFunctions, type Wiring } from './wiring.ts';

const NUMBER = '+5491155550000';
const HOUR_MS = 60 * 60 * 1000;
const before = (ms: number) => new Date(Date.parse(NOW) - ms).toISOString();
const CONTACT = { address: NUMBER, lastInboundAt: before(HOUR_MS) };
const CONSENT = { userOptInAt: before(48 * HOUR_MS), userOptInSource: 'form' };

const call = (
  routeKey: string,
  { id, query, body }: { readonly id?: string; readonly query?: object; readonly body?: object } = {},
  scenario: Partial<Scenario> = {},
): Scenario => ({
  events: [
    {
      routeKey,
      headers: {},
      pathParameters: id === undefined ? {} : { id },
      queryStringParameters: query,
      body: body === undefined ? undefined : JSON.stringify(body),
      requestContext: {
        requestId: 'api-1',
        authorizer: { iam: { userArn: 'arn:aws:iam::000000000000:role/r', userId: 'r' } },
      },
    },
  ],
  ...scenario,
});
const STAGE = call('GET /v1/stage');
const REPLY = { platformContactId: NUMBER, messageText: 'Hello' };
const TEMPLATE = { platformContactId: NUMBER, ruleNameOrId: 'welcome', reason: 'payment' };
const contact = (items: Scenario['items'] = { CONTACT }) =>
  call('GET /v1/contacts/{platformContactId+}', { id: NUMBER }, { items });
/** What a request would lead to. */
const forecast = (
  { platformContactId, ...request }: { readonly platformContactId: string },
  items: Scenario['items'],
) => call('POST /v1/forecasts', { body: { ...request, contacts: [platformContactId] } }, { items });
const enqueue = call('PUT /v1/sends/{requestId}', { id: 'request-1', body: REPLY });
const dryRun = call('POST /v1/sends', { query: { dryRun: 'true' }, body: { requestId: 'request-1', ...REPLY } });
const check = (variables = {}) => call('POST /v1/contact-checks', { body: { contacts: [NUMBER] } }, { variables });

/** Queues with one message each, nine days old. */
const withDeadLetter = (body: string): Partial<Scenario> => ({
  answers: {
    GetQueueAttributes: () => ({
      Attributes: {
        ApproximateNumberOfMessages: '1',
        ApproximateNumberOfMessagesNotVisible: '0',
        ApproximateNumberOfMessagesDelayed: '0',
      },
    }),
    ReceiveMessage({ QueueUrl }, lines) {
      const queue = `ReceiveMessage ${String(QueueUrl).split('/').at(-1)} `;
      if (lines.filter((line) => line.startsWith(queue)).length > 1) return {};
      return {
        Messages: [
          {
            MessageId: 'lost-1',
            ReceiptHandle: 'handle',
            Body: body,
            MD5OfBody: createHash('md5').update(body).digest('hex'),
            Attributes: {
              SentTimestamp: String(Date.parse(NOW) - 9 * 24 * HOUR_MS),
              DeadLetterQueueSourceArn: 'arn:aws:sqs:us-east-1:000000000000:inbound',
            },
          },
        ],
      };
    },
  },
});
const keep: Scenario = { events: [{ keepDeadLetters: true }] };
const redrive = (queue: string, body: object): Scenario =>
  call('POST /v1/redrives', { body: { queue } }, withDeadLetter(JSON.stringify(body)));
const REPUBLISHED = {
  EVENT_BUS_NAME: 'bus',
  AWS_ENDPOINT_URL_EVENTBRIDGE: '{aws}',
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: '{aws}',
  EVENT_CONTENT: 'false',
  PUBLISH_FAILURES_QUEUE_URL: '{aws}/failures',
};
const RECORD = {
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: '1',
    ApproximateCreationDateTime: Date.parse(NOW) / 1000,
    NewImage: {
      pk: { S: 'MESSAGE#in-1' },
      sk: { S: 'MESSAGE' },
      direction: { S: 'inbound' },
      createdAt: { S: NOW },
      contact: { S: 'CONTACT#chat#*#541155550000' },
      body: { S: JSON.stringify(wireMessage({ MESSAGE: 'A text' })) },
    },
  },
};
const republish = (body: object = { record: RECORD }): Scenario => ({
  ...redrive('publishing', body),
  variables: REPUBLISHED,
});
const DISCARDED = {
  requestContext: { condition: 'RetryAttemptsExhausted' },
  DDBStreamBatchInfo: {
    streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/table/stream/1',
    shardId: 'shard',
    startSequenceNumber: '1',
    endSequenceNumber: '1',
    batchSize: 1,
  },
};
const imported = (message: Record<string, unknown>): Scenario =>
  call('POST /v1/imports', { body: { entries: [wireMessage(message)] } });
const WAITING = { state: 'waiting', body: JSON.stringify({ requestId: 'request-1', ...REPLY }), createdAt: NOW };
const expiry = (days: number) => String(Date.parse(NOW) / 1000 + days * 86_400);

const USUAL: { readonly [Name in keyof ManageEnvironment]: string | undefined } = {
  TABLE_NAME: 'table',
  AWS_ENDPOINT_URL_DYNAMODB: '{aws}',
  AWS_ENDPOINT_URL_SECRETS_MANAGER: '{aws}',
  SEND_QUEUE_URL: '{aws}/send.fifo',
  BULK_SEND_QUEUE_URL: undefined,
  ERASURE_QUEUE_URL: '{aws}/erasures',
  SEND_DEAD_LETTER_QUEUE_URL: '{aws}/send-dead.fifo',
  BULK_SEND_DEAD_LETTER_QUEUE_URL: undefined,
  SCHEDULE_DEAD_LETTER_QUEUE_URL: '{aws}/schedules-dead',
  INBOUND_DEAD_LETTER_QUEUE_URL: undefined,
  INBOUND_QUEUE_URL: undefined,
  ERASURE_DEAD_LETTER_QUEUE_URL: '{aws}/erasures-dead',
  DEAD_LETTER_QUEUE_URLS: '[]',
  EVENT_BUS_NAME: undefined,
  AWS_ENDPOINT_URL_EVENTBRIDGE: undefined,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: undefined,
  EVENT_CONTENT: undefined,
  PUBLISH_FAILURES_QUEUE_URL: undefined,
  UNDELIVERED_EVENTS_QUEUE_URL: undefined,
  ACCESS_TOKEN_SECRET_ID: 'token',
  CHAT_SERVICE_URL: '{aws}',
  CHAT_PLATFORM: 'chat',
  CHAT_CHANNEL_NUMBER: '+5491100000000',
  WINDOW_PER: 'user',
  CONTACT_CHECK_PATH: 'customer/checkContact',
  NUMBER_FORMAT: 'verbatim',
  WINDOW_MARGIN_SECONDS: '60',
  TEMPLATES: undefined,
  DEFAULT_TEMPLATE: undefined,
  DEFAULT_NOT_AFTER: undefined,
  CONTACT_CHECK: 'off',
  OPT_OUT_EXEMPT_REASONS: '[]',
  OPERATORS: undefined,
  KEYWORDS: undefined,
  OPERATOR_ECHOES: undefined,
  SCHEDULE_GROUP_NAME: 'group',
  WATCH: undefined,
  RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
};

const keptQueue = (): Wiring<ManageEnvironment>['TABLE_NAME'] => [
  keep,
  ['{aws}/one', 'GetQueueAttributes one'],
  ['{aws}/other', 'GetQueueAttributes other'],
];

describeWiring<ManageEnvironment>('manage', USUAL, {
  TABLE_NAME: [STAGE, ['one', '"TableName":"one"'], ['other', '"TableName":"other"']],
  AWS_ENDPOINT_URL_DYNAMODB: [STAGE, ['{aws}', 'GetItem 127.0.0.1'], ['{alias}', 'GetItem localhost']],
  AWS_ENDPOINT_URL_SECRETS_MANAGER: [
    STAGE,
    ['{aws}', 'GetSecretValue 127.0.0.1'],
    ['{alias}', 'GetSecretValue localhost'],
  ],
  SEND_QUEUE_URL: [enqueue, ['{aws}/one.fifo', 'SendMessage one.fifo'], ['{aws}/two.fifo', 'SendMessage two.fifo']],
  BULK_SEND_QUEUE_URL: [dryRun, [undefined], ['{aws}/bulk.fifo', 'GetQueueAttributes bulk.fifo']],
  ERASURE_QUEUE_URL: [
    call('DELETE /v1/contacts/{platformContactId+}', { id: NUMBER }),
    ['{aws}/one', 'SendMessage one'],
    ['{aws}/other', 'SendMessage other'],
  ],
  SEND_DEAD_LETTER_QUEUE_URL: keptQueue(),
  BULK_SEND_DEAD_LETTER_QUEUE_URL: keptQueue(),
  SCHEDULE_DEAD_LETTER_QUEUE_URL: keptQueue(),
  INBOUND_DEAD_LETTER_QUEUE_URL: keptQueue(),
  ERASURE_DEAD_LETTER_QUEUE_URL: keptQueue(),
  INBOUND_QUEUE_URL: [
    {
      ...redrive('inbound', { lost: true }),
      variables: { INBOUND_DEAD_LETTER_QUEUE_URL: '{aws}/quarantine' },
    },
    ['{aws}/000000000000/inbound', 'SendMessage inbound'],
    // Any queue of the account can name the quarantine as its dead-letter queue.
    ['{aws}/000000000000/other', 'ChangeMessageVisibilityBatch quarantine'],
  ],
  DEAD_LETTER_QUEUE_URLS: [erasing(), ['[]'], ['["{aws}/targets"]', 'GetQueueAttributes targets']],
  EVENT_BUS_NAME: [republish(), ['one', '"EventBusName":"one"'], ['other', '"EventBusName":"other"']],
  AWS_ENDPOINT_URL_EVENTBRIDGE: [republish(), ['{aws}', 'PutEvents 127.0.0.1'], ['{alias}', 'PutEvents localhost']],
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: [
    republish(DISCARDED),
    ['{aws}', 'GetShardIterator 127.0.0.1'],
    ['{alias}', 'GetShardIterator localhost'],
  ],
  EVENT_CONTENT: [republish(), ['false'], ['true', '\\"text\\":\\"A text\\"']],
  PUBLISH_FAILURES_QUEUE_URL: [
    republish(),
    ['{aws}/one', 'ReceiveMessage one'],
    ['{aws}/other', 'ReceiveMessage other'],
  ],
  UNDELIVERED_EVENTS_QUEUE_URL: [
    { ...redrive('targets', {}), variables: REPUBLISHED },
    [undefined],
    ['{aws}/targets', 'ReceiveMessage targets'],
  ],
  ACCESS_TOKEN_SECRET_ID: [STAGE, ['one', '"SecretId":"one"'], ['other', '"SecretId":"other"']],
  CHAT_SERVICE_URL: [check(), ['{aws}/one', 'chat /one/api/'], ['{aws}/other', 'chat /other/api/']],
  CHAT_PLATFORM: [
    { ...STAGE, events: [...STAGE.events, ...contact().events] },
    ['one', 'CONTACT#one#', 'ACCOUNT#one#', '\\"chatPlatform\\":\\"one\\"'],
    ['other', 'CONTACT#other#', 'ACCOUNT#other#', '\\"chatPlatform\\":\\"other\\"'],
  ],
  CHAT_CHANNEL_NUMBER: [
    { ...STAGE, events: [...STAGE.events, ...contact().events], variables: { WINDOW_PER: 'channel' } },
    ['+5491100000001', 'CONTACT#chat#541100000001#', 'ACCOUNT#chat#+5491100000001', '\\"+5491100000001\\"'],
    ['+5491100000002', 'CONTACT#chat#541100000002#', 'ACCOUNT#chat#+5491100000002', '\\"+5491100000002\\"'],
  ],
  WINDOW_PER: [contact(), ['user', 'CONTACT#chat#*#'], ['channel', 'CONTACT#chat#541100000000#']],
  CONTACT_CHECK_PATH: [check(), ['customer/one', '/customer/one'], ['customer/other', '/customer/other']],
  NUMBER_FORMAT: [check(), ['plus', '"contacts":["+5491155550000"]'], ['digits', '"contacts":["5491155550000"]']],
  WINDOW_MARGIN_SECONDS: [
    { ...contact({ CONTACT: { ...CONTACT, lastInboundAt: before(23 * HOUR_MS) } }) },
    ['3599', '\\"open\\":true'],
    ['3600', '\\"open\\":false'],
  ],
  TEMPLATES: [forecast(TEMPLATE, { CONSENT }), [undefined], ['{"welcome":["name"]}', 'PARAMS_INVALID']],
  DEFAULT_TEMPLATE: [
    forecast({ ...REPLY, reason: 'payment' } as typeof REPLY, { CONSENT }),
    [undefined, 'WINDOW_CLOSED'],
    ['{"ruleNameOrId":"welcome"}', '\\"template\\"'],
  ],
  DEFAULT_NOT_AFTER: [
    forecast({ ...REPLY, sendAt: before(HOUR_MS) } as typeof REPLY, { CONTACT }),
    [undefined, 'free-form'],
    ['PT10M', 'expire'],
  ],
  CONTACT_CHECK: [
    forecast(TEMPLATE, { CONSENT, CHECK: { checkedAt: before(HOUR_MS) } }),
    ['off'],
    ['beforeFirstTemplate', 'NOT_ON_PLATFORM'],
  ],
  OPT_OUT_EXEMPT_REASONS: [
    forecast(TEMPLATE, { CONSENT: { ...CONSENT, userOptOutAt: before(HOUR_MS), userOptOutSource: 'form' } }),
    ['[]', 'OPTED_OUT'],
    ['["payment"]', '\\"template\\"'],
  ],
  OPERATORS: [contact(), [undefined], ['{"echoes":true}', '"HANDOVER"']],
  KEYWORDS: [imported({ MESSAGE: 'Baja' }), [undefined], ['{"optOut":["BAJA"],"optIn":[]}', 'keyword BAJA']],
  OPERATOR_ECHOES: [
    imported({ FROM: 'me', TO: '5491155550000', OPERATOR_ID: 'ana' }),
    [undefined],
    ['{"field":"OPERATOR_ID"}', 'operatorWroteAt'],
  ],
  SCHEDULE_GROUP_NAME: [
    call(
      'PUT /v1/cancellations/{requestId}',
      { id: 'request-1' },
      { items: { SEND: WAITING }, updated: { pk: 'SEND#request-1', sk: 'SEND', ...WAITING, state: 'cancelled' } },
    ),
    ['one', 'groupName=one'],
    ['other', 'groupName=other'],
  ],
  WATCH: [call('GET /v1/gaps'), ['false', '\\"watches\\":false'], ['true', '\\"watches\\":true']],
  RETENTION_DAYS: [
    call('POST /v1/stops', { body: { note: 'a reason' } }),
    [JSON.stringify({ ...RETENTION_DAYS, audit: 1 }), expiry(1)],
    [JSON.stringify({ ...RETENTION_DAYS, audit: 2 }), expiry(2)],
  ],
});

/** The pass of an erasure that finds nothing in the table, so that it searches the queues. */
function erasing(): Scenario {
  return {
    events: [
      {
        Records: [
          sqsRecord(
            JSON.stringify({
              erasureId: 'erasure-1',
              requestedAt: NOW,
              contact: { platform: 'chat', channel: '*', key: '541155550000' },
              platform: 'chat',
              customers: [],
              otherCustomers: [],
            }),
          ),
        ],
      },
    ],
    items: { ERASURE: { state: 'running', requestedAt: NOW, messages: 0, sends: 0, deadLetters: 0, turns: 0 } },
  };
}

describe('the queues of manage', () => {
  const run = startedFunctions();

  const ALL_QUEUES = {
    ...USUAL,
    BULK_SEND_DEAD_LETTER_QUEUE_URL: '{aws}/bulk-dead.fifo',
    INBOUND_QUEUE_URL: '{aws}/000000000000/inbound',
    INBOUND_DEAD_LETTER_QUEUE_URL: '{aws}/quarantine',
    DEAD_LETTER_QUEUE_URLS: '["{aws}/failures","{aws}/targets"]',
  };
  const counted = (lines: readonly string[]) =>
    lines.flatMap((line) => /^GetQueueAttributes (\S+)/.exec(line)?.[1] ?? []).sort();
  const KEPT = ['bulk-dead.fifo', 'erasures-dead', 'quarantine', 'schedules-dead', 'send-dead.fifo'];

  it('an erasure searches all dead-letter queues', async () => {
    const searched = counted(await run('manage', ALL_QUEUES, erasing()));
    expect([...new Set(searched)]).toEqual([...KEPT, 'failures', 'targets'].sort());
  });

  it('the daily schedule keeps the old dead letters of five queues, but not what is foreign to the quarantine', async () => {
    const kept = async (variables: object) => {
      const scenario = { ...keep, ...withDeadLetter('{}') };
      const lines = await run('manage', { ...ALL_QUEUES, ...variables }, scenario);
      return lines.flatMap((line) => /^DeleteMessage (\S+)/.exec(line)?.[1] ?? []).sort();
    };
    expect(await kept({})).toEqual(KEPT);
    const withoutQuarantine = KEPT.filter((queue) => queue !== 'quarantine');
    expect(await kept({ INBOUND_QUEUE_URL: '{aws}/000000000000/other' })).toEqual(withoutQuarantine);
  });

  it('dead letters are hidden for an invocation while they are kept, and longer while they are redriven', async () => {
    const timeouts = async (scenario: Scenario) => {
      const lines = await run('manage', ALL_QUEUES, scenario);
      const received = lines.flatMap((line) => /^ReceiveMessage .*"VisibilityTimeout":(\d+)/.exec(line)?.[1] ?? []);
      return [...new Set(received)];
    };
    expect(await timeouts({ ...keep, ...withDeadLetter('{}') })).toEqual(['90']);
    expect(await timeouts(redrive('send', REPLY))).toEqual(['600']);
  });

  it('a redriven dead letter returns to its own queue', async () => {
    const queueOf = async (name: string) => {
      const variables = { ...ALL_QUEUES, BULK_SEND_QUEUE_URL: '{aws}/bulk.fifo' };
      const lines = await run('manage', variables, redrive(name, REPLY));
      return lines.flatMap((line) => /^SendMessage (\S+)/.exec(line)?.[1] ?? []);
    };
    expect(await queueOf('send')).toEqual(['send.fifo']);
    expect(await queueOf('bulk')).toEqual(['bulk.fifo']);
    expect(await queueOf('inbound')).toEqual(['inbound']);
    expect(await queueOf('erasures')).toEqual(['erasures']);
  });

  it('the daily schedule also reads the access token, to check when it expires', async () => {
    expect((await run('manage', ALL_QUEUES, keep)).join()).toContain('GetSecretValue');
  });

  it('keeps no more dead letters when 20 seconds are left', async () => {
    const keepWith = (remainingMs: number) =>
      run('manage', ALL_QUEUES, { ...keep, ...withDeadLetter('{}'), remainingMs });
    await expect(keepWith(20_000)).rejects.toThrow('Time ran out');
    await expect(keepWith(20_001)).resolves.toBeDefined();
  });

  it('an erasure that could not finish waits on its own queue', async () => {
    const failing = { ...erasing(), answers: { Query: refuse } };
    const lines = await run('manage', ALL_QUEUES, failing);
    expect(lines.filter((line) => line.startsWith('ChangeMessageVisibility'))).toEqual([
      expect.stringMatching(/^ChangeMessageVisibility\w* erasures /),
    ]);
  });
});
