import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bufferedHeader, bufferedText } from '../../../../lambdas/domain/buffered-request.ts';
import type { Verdict } from '../../../../lambdas/ports.ts';
import { createWebhookHandler } from '../../../../lambdas/receive/webhook-handler.ts';
import { createTelemetry, frame } from '../../../../lambdas/runtime/frame.ts';
import { stateShard } from '../../../../lambdas/table/indexes.ts';
import { jwt, RETENTION_DAYS } from '../../../support/builders.ts';
import { CANARIES, canariesIn } from '../../../support/canaries.ts';
import { linesDrivenBy } from '../../../support/log-lines.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { type AwsInput, type EchoingAws, startEchoingAws } from './echoing-aws.ts';

// What each function logs when AWS services fail with errors that quote the call, and more.

const { text, number, name, param, mediaUrl, webhookSecret } = CANARIES;
const KEY = '541155509801';
const QUEUE = 'https://sqs.us-east-1.amazonaws.com/000000000000';

let aws: EchoingAws;
/** Everything that the functions have written since the start of the file. */
const output: string[] = [];
/** The messages that the functions put on queues. */
const sent: AwsInput[] = [];

type Handle = (event: unknown) => Promise<unknown>;
const functions: Partial<Record<'receive' | 'send' | 'publish' | 'manage', Handle>> = {};

const ENTRIES = {
  receive: () => import('../../../../lambdas/receive/entry.ts'),
  send: () => import('../../../../lambdas/send/entry.ts'),
  publish: () => import('../../../../lambdas/publish/entry.ts'),
  manage: () => import('../../../../lambdas/manage/entry.ts'),
};

const environment = (url: string): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
  AWS_ENDPOINT_URL: url,
  AWS_ENDPOINT_URL_DYNAMODB: url,
  AWS_ENDPOINT_URL_EVENTBRIDGE: url,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
  POWERTOOLS_SERVICE_NAME: 'leaks',
  POWERTOOLS_METRICS_NAMESPACE: 'Parley-test',
  // Somebody may set it while looking for a fault.
  POWERTOOLS_LOGGER_LOG_EVENT: 'true',
  TABLE_NAME: 'table',
  RETENTION_DAYS: JSON.stringify({ ...RETENTION_DAYS, logs: 30 }),
  ...Object.fromEntries(
    ['SEND', 'INBOUND', 'ERASURE', 'SEND_DEAD_LETTER', 'INBOUND_DEAD_LETTER', 'SCHEDULE_DEAD_LETTER']
      .concat(['ERASURE_DEAD_LETTER', 'PUBLISH_DEAD_LETTER', 'TURN'])
      .map((queue) => [`${queue}_QUEUE_URL`, `${QUEUE}/${queue}`.replace('https://sqs.us-east-1.amazonaws.com', url)]),
  ),
  DEAD_LETTER_QUEUE_URLS: '[]',
  ACCESS_TOKEN_SECRET_ID: 'token',
  WEBHOOK_SECRET_ID: 'webhook',
  WEBHOOK_AUTH: JSON.stringify({ kind: 'shared-token', header: 'x-token' }),
  CHAT_SERVICE_URL: url,
  CHAT_PLATFORM: 'chat',
  CHAT_CHANNEL_NUMBER: '+5491100000000',
  WINDOW_PER: 'user',
  WINDOW_MARGIN_SECONDS: '60',
  NUMBER_FORMAT: 'verbatim',
  CLIENT_PAYLOAD: 'intent',
  CONTACT_CHECK: 'off',
  CONTACT_CHECK_PATH: 'customer/checkChatContact',
  ANSWER_TIMEOUT_SECONDS: '10',
  MAX_CONCURRENT_CALLS: '10',
  OPT_OUT_EXEMPT_REASONS: '[]',
  SCHEDULE_GROUP_NAME: 'group',
  SCHEDULE_ROLE_ARN: 'arn:aws:iam::000000000000:role/schedules',
  SCHEDULE_DEAD_LETTER_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:schedules',
  EVENT_BUS_NAME: 'bus',
  EVENT_CONTENT: 'true',
  TURN_SILENCE_SECONDS: '8',
});

// The handlers and their middlewares read nothing that is missing here.
const context = { getRemainingTimeInMillis: () => 600_000 } as Context;

beforeAll(async () => {
  aws = await startEchoingAws();
  const capture = (chunk: unknown) => output.push(String(chunk)) > 0;
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(capture);
  for (const [variable, value] of Object.entries(environment(aws.url))) vi.stubEnv(variable, value);
  vi.resetModules();
  for (const [service, load] of Object.entries(ENTRIES)) {
    const { handler } = await load();
    // The events of the tests have what each handler reads.
    Object.assign(functions, { [service]: (event: unknown) => Reflect.apply(handler, undefined, [event, context]) });
  }
});
beforeEach(() => {
  aws.answers.clear();
  aws.chatService = { status: 200, body: { id: 'out' } };
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await aws.close();
});

const refuse = (error: string) => () => ({ error });

/** Makes calls fail whose key starts like this, and gives the others their answers. */
const onItem = (prefix: string, error: string) => (input: AwsInput) =>
  JSON.stringify(input.Key).includes(`"${prefix}`) ? { error } : undefined;

const keepSent = (input: AwsInput) => void sent.push(input);

const handle = (service: keyof typeof functions, event: unknown): Promise<unknown> => {
  const call = functions[service];
  if (call === undefined) throw new Error('The function is not loaded.');
  return call(event);
};

const records = (body: string, attributes: object = {}) => ({
  Records: [sqsRecord(body, { MessageGroupId: number, SentTimestamp: String(Date.now()), ...attributes })],
});

const request = (changes: object = {}): string =>
  JSON.stringify({
    requestId: 'request-1',
    platformContactId: number,
    messageText: text,
    imageURL: mediaUrl,
    ...changes,
  });

const event = (changes: object = {}): string =>
  JSON.stringify({ _id_: 'in-1', FROM: number, FROM_NAME: name, MESSAGE: text, IMAGES_URLS: [mediaUrl], ...changes });

const post = (body: string) => ({ headers: { 'x-token': CANARIES.accessToken }, body, isBase64Encoded: false });

const base64 = (value: string): string => Buffer.from(value).toString('base64');

/** The same request, put on the queue by API Gateway. */
const queued = (body: string) => ({
  Records: [
    sqsRecord(
      bufferedText({
        requestId: base64('request-1'),
        receivedAtMs: String(Date.now()),
        chatChannelNumber: base64(number),
        headers: bufferedHeader('x-token', base64(CANARIES.accessToken)),
        body: base64(body),
      }),
    ),
  ],
});

/** The contact wrote a minute ago, so the window is open. */
const openWindow = (input: AwsInput) => {
  const contact = { address: number, name, lastInboundAt: new Date(Date.now() - 60_000).toISOString() };
  return JSON.stringify(input.Key).includes('CONTACT#') ? { Item: marshall(contact) } : undefined;
};
const openWindows = () => ({
  Responses: {
    table: [
      marshall({
        pk: `CONTACT#chat#*#${KEY}`,
        sk: 'CONTACT',
        name,
        lastInboundAt: new Date(Date.now() - 60_000).toISOString(),
      }),
    ],
  },
});

const sendItem = (changes: object) => ({
  pk: 'SEND#request-1',
  sk: 'SEND',
  state: 'claimed',
  body: request(),
  claimId: 'another',
  attempts: 1,
  outcomeDetails: text,
  ...changes,
});

const hasOpenWindow = () => {
  aws.answers.set('GetItem', openWindow);
  aws.answers.set('BatchGetItem', openWindows);
};

/** Answers the claim, and refuses the write of the outcome because of this item. */
const conflictAfterClaim = (item: object) => (input: AwsInput) => {
  const isClaim = JSON.stringify(input).includes('leaseUntil = :leaseUntil');
  return isClaim
    ? { Attributes: marshall(sendItem({})) }
    : { error: 'ConditionalCheckFailedException', item: marshall(sendItem(item)) };
};

const streamRecord = {
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: '100000000000000000001',
    ApproximateCreationDateTime: 1_800_000_000,
    NewImage: marshall({
      pk: 'MESSAGE#in-1',
      sk: 'MESSAGE',
      direction: 'inbound',
      createdAt: '2026-11-20T12:00:00.000Z',
      contact: `CONTACT#chat#*#${KEY}`,
      body: event(),
    }),
  },
};

const DAY_MS = 24 * 60 * 60 * 1000;

const OLD = new Date(Date.now() - 28 * DAY_MS).toISOString();

/** Answers with a channel to which users wrote all the time, until then, and with a message that may be missing. */
const answerChannel = ({
  silentSince,
  slotsBefore = Date.now() - DAY_MS,
  gap,
}: {
  readonly silentSince: string | undefined;
  readonly slotsBefore?: number;
  readonly gap?: { readonly pk: string; readonly sk: string; readonly stateShard: string; readonly stateAt: string };
}): void => {
  const channel = { pk: 'CHANNEL#chat#*', sk: 'CHANNEL', platform: 'chat', line: '*', firstSeenAt: OLD, echoedAt: OLD };
  const listed = { pk: channel.pk, sk: channel.sk, stateShard: 'channel', stateAt: OLD };
  const dayItem = (sk: string) => {
    const slots = Array.from({ length: 288 }, (_, slot) => slot).filter(
      (slot) => Date.parse(sk.slice('DAY#'.length)) + slot * 300_000 < slotsBefore,
    );
    return slots.length === 0 ? [] : [{ pk: channel.pk, sk, slots: new Set(slots.map((slot) => slot.toString(36))) }];
  };
  aws.answers.set('Query', (input) => {
    const shard = JSON.stringify(input.ExpressionAttributeValues);
    if (shard.includes('"channel"')) return { Items: [marshall(listed)] };
    const isShard = gap !== undefined && shard.includes(JSON.stringify(gap.stateShard));
    return {
      Items: isShard ? [marshall({ pk: gap.pk, sk: gap.sk, stateShard: gap.stateShard, stateAt: gap.stateAt })] : [],
    };
  });
  aws.answers.set('BatchGetItem', (input) => {
    const keys: { pk: { S: string }; sk: { S: string } }[] = Object(input.RequestItems).table.Keys;
    const items = keys.flatMap(({ pk, sk }): object[] => {
      if (sk.S === 'CHANNEL') return [{ ...channel, silentSince }];
      return pk.S === gap?.pk && sk.S === gap.sk ? [gap] : dayItem(sk.S);
    });
    return { Responses: { table: items.map((item) => marshall(item, { removeUndefinedValues: true })) } };
  });
};

/** Each fault, by the log line that reports it. */
const FAULTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'event not acknowledged: the inbound queue is unavailable; waiting for redelivery': () => {
    aws.answers.set('UpdateItem', refuse('AccessDeniedException'));
    aws.answers.set('SendMessage', refuse('AccessDenied'));
    return handle('receive', post(event()));
  },
  'deferred event waits longer in the inbound queue': () => {
    aws.answers.set('UpdateItem', refuse('AccessDeniedException'));
    return handle(
      'receive',
      records(JSON.stringify({ receivedAt: '2026-11-20T12:00:00.000Z', encoding: 'utf8', rawBody: event() })),
    );
  },
  'visibility not changed; the message keeps the visibility timeout of its queue': () => {
    aws.answers.set('UpdateItem', refuse('AccessDeniedException'));
    aws.answers.set('ChangeMessageVisibilityBatch', refuse('InvalidParameterValue'));
    return handle(
      'receive',
      records(JSON.stringify({ receivedAt: '2026-11-20T12:00:00.000Z', encoding: 'utf8', rawBody: event() })),
    );
  },
  'message failure could not be recorded': () => {
    for (const operation of ['GetItem', 'BatchGetItem', 'UpdateItem'])
      aws.answers.set(operation, refuse('ValidationException'));
    return handle('send', records(request()));
  },
  'refusal could not be recorded': () => {
    const failingSince = new Date(Date.now() - 2 * DAY_MS).toISOString();
    for (const operation of ['GetItem', 'BatchGetItem']) aws.answers.set(operation, refuse('ValidationException'));
    aws.answers.set('UpdateItem', (input) =>
      JSON.stringify(input).includes('failingSince = if_not_exists')
        ? { Attributes: marshall({ failingSince }) }
        : { error: 'ValidationException' },
    );
    aws.answers.set('SendMessage', keepSent);
    return handle('send', records(request()));
  },
  'result not recorded: a status already confirmed the send': () => {
    hasOpenWindow();
    aws.answers.set('UpdateItem', conflictAfterClaim({ state: 'accepted', confirmedBy: 'status' }));
    return handle('send', records(request()));
  },
  'result not recorded: the claim was lost': () => {
    hasOpenWindow();
    aws.answers.set('UpdateItem', conflictAfterClaim({ state: 'uncertain' }));
    aws.chatService = { status: 400, body: { error: { code: 304, message: `${text} ${number}` } } };
    return handle('send', records(request()));
  },
  'message of an accepted send not recorded: its id belongs to a message of another contact': () => {
    hasOpenWindow();
    const other = { pk: 'MESSAGE#out-1', sk: 'MESSAGE', contact: 'CONTACT#chat#*#34600110005', body: event() };
    aws.answers.set('UpdateItem', (input) =>
      JSON.stringify(input.Key).includes('MESSAGE#')
        ? { error: 'ConditionalCheckFailedException', item: marshall(other) }
        : { Attributes: marshall(sendItem({})) },
    );
    return handle('send', records(request()));
  },
  'closed window not recorded': () => {
    hasOpenWindow();
    aws.chatService = { status: 403, body: { error: { code: 201, message: text } } };
    aws.answers.set('UpdateItem', (input) =>
      JSON.stringify(input.Key).includes('CONTACT#')
        ? { error: 'ValidationException' }
        : { Attributes: marshall(sendItem({})) },
    );
    return handle('send', records(request()));
  },
  'circuit breaker not updated': () => {
    hasOpenWindow();
    aws.chatService = { status: 403, body: { error: { code: 101, message: `${text} ${number}` } } };
    aws.answers.set(
      'UpdateItem',
      (input) => onItem('ACCOUNT#', 'ValidationException')(input) ?? { Attributes: marshall(sendItem({})) },
    );
    return handle('send', records(request()));
  },
  'circuit breaker open: requests wait while Parley makes one probe at a time': () => {
    hasOpenWindow();
    const { accessToken } = CANARIES;
    const reason = `not ${accessToken}, ${encodeURIComponent(accessToken)}, ${accessToken.slice(-12)}, or ${number}`;
    aws.chatService = { status: 401, body: { message: text }, headers: { 'Reason-Phrase': reason } };
    const circuit = { circuit: 'open', reason: 'token', why: 'HTTP 401', openedAt: '2026-11-20T12:00:00.000Z' };
    aws.answers.set('UpdateItem', (input) => ({
      Attributes: marshall(
        JSON.stringify(input.Key).includes('ACCOUNT#')
          ? { ...circuit, nextProbeAt: '2026-11-20T12:00:05.000Z', probes: 0, failedSends: 0 }
          : sendItem({}),
      ),
    }));
    return handle('send', records(request()));
  },
  'schedule deleted: the contact was erased': () => {
    aws.answers.set('GetItem', () => ({
      Item: marshall(sendItem({ erasedAt: '2026-11-20T12:00:00.000Z', body: '' })),
    }));
    return handle('send', records(request({ sendAt: new Date(Date.now() + DAY_MS).toISOString() })));
  },
  'change neither published nor put on the dead-letter queue': () => {
    aws.answers.set('PutEvents', refuse('ValidationException'));
    aws.answers.set('SendMessage', refuse('InvalidMessageContents'));
    return handle('publish', { Records: [streamRecord] });
  },
  'change not handled; Lambda will retry it': () => {
    aws.answers.set('SendMessage', refuse('InvalidMessageContents'));
    const turn = { firstMessageId: text, startedAt: '2026-11-20T12:00:00.000Z', messageIds: new Set([text]) };
    const NewImage = marshall({ pk: `CONTACT#chat#*#${KEY}`, sk: 'TURN', ...turn, messageCount: 1 });
    return handle('publish', { Records: [{ ...streamRecord, dynamodb: { ...streamRecord.dynamodb, NewImage } }] });
  },
  'queue message is not a turn; deleted': () => handle('publish', { Records: [sqsRecord(event())] }),
  'invocation failed': async () => {
    aws.answers.set('GetQueueAttributes', refuse('InvalidAddress'));
    await expect(handle('manage', { keepDeadLetters: true })).rejects.toSatisfy(
      (error: unknown) => canariesIn(`${error} ${error instanceof Error && error.stack}`).length === 0,
    );
  },
  'management call failed': async () => {
    aws.answers.set('BatchGetItem', refuse('ValidationException'));
    const call = {
      routeKey: 'GET /v1/contacts/{platformContactId+}',
      pathParameters: { platformContactId: number },
      requestContext: { requestId: 'api-1' },
    };
    const answer = await handle('manage', call);
    expect(answer).toMatchObject({ statusCode: 500 });
    expect(canariesIn(JSON.stringify(answer))).toEqual([]);
  },
  'change cannot be published; put on the dead-letter queue': () => {
    aws.answers.set('PutEvents', () => ({
      FailedEntryCount: 1,
      Entries: [{ ErrorCode: 'MalformedDetail', ErrorMessage: `${event()} is malformed` }],
    }));
    aws.answers.set('SendMessage', keepSent);
    return handle('publish', { Records: [streamRecord] });
  },
  'event quarantined': () => {
    aws.answers.set('UpdateItem', refuse('ValidationException'));
    aws.answers.set('SendMessage', keepSent);
    // The process that could not write to the table a moment ago does not try again.
    return loadAgain('receive', post(event({ CODE: param })));
  },
  'access token expires soon': () => {
    const token = jwt({ exp: 1, name: CANARIES.accessToken });
    aws.answers.set('GetSecretValue', () => ({ SecretString: token }));
    return handle('manage', { keepDeadLetters: true }).catch(() => undefined);
  },
  'access token not read': () => {
    aws.answers.set('GetSecretValue', refuse('DecryptionFailure'));
    return handle('manage', { keepDeadLetters: true }).catch(() => undefined);
  },
  'channel silent': () => {
    answerChannel({ silentSince: undefined });
    return handle('manage', { watchArrivals: true });
  },
  'channel no longer silent': () => {
    // A user wrote since.
    answerChannel({ silentSince: '2020-01-01T00:00:00.000Z', slotsBefore: Date.now() });
    return handle('manage', { watchArrivals: true });
  },
  'message missing: only its statuses arrived': () => {
    const missing = { pk: `MESSAGE#${name}`, sk: 'MESSAGE', contact: `CONTACT#chat#*#${KEY}` };
    const listed = { ...missing, stateShard: stateShard('gap', name), stateAt: OLD };
    answerChannel({ silentSince: undefined, slotsBefore: Date.now(), gap: listed });
    return handle('manage', { watchArrivals: true });
  },
  'webhook request not verified: verification unavailable; waiting for redelivery': () => {
    aws.answers.set('GetSecretValue', refuse('DecryptionFailure'));
    return loadAgain('receive', post(event()));
  },
  'webhook request not verified: verification unavailable; it waits in the inbound queue': () => {
    aws.answers.set('GetSecretValue', refuse('DecryptionFailure'));
    return loadAgain('receive', queued(event()));
  },
  'webhook request dropped: unauthenticated': () => {
    aws.answers.set('GetSecretValue', () => ({ SecretString: webhookSecret.padEnd(16, 'x') }));
    return loadAgain('receive', queued(event()));
  },
  'webhook secret invalid': () => {
    aws.answers.set('GetSecretValue', () => ({ SecretString: `${webhookSecret}\nshort` }));
    return loadAgain('receive', post(event()));
  },
  'handshake completed': () => handleVerdict({ kind: 'handshake', reason: 'subscription to the topic confirmed' }),
  'webhook unsubscribed': () =>
    handleVerdict({ kind: 'unsubscribed', reason: 'the topic no longer delivers events to this webhook' }),
};

/** Handles a webhook request about which the verifier says this. No test can sign as Amazon SNS. */
const handleVerdict = async (verdict: Verdict): Promise<unknown> => {
  const { log, metrics, middlewares } = createTelemetry();
  const handler = createWebhookHandler({
    verifier: { verify: async () => verdict },
    receiveEvents: () => Promise.reject(new Error('There is no event.')),
    format: { envelope: 'sns', readsPubsubHeaders: false },
    clock: { now: () => '2026-11-20T12:00:00.000Z' },
    log,
    metrics,
  });
  return Reflect.apply(frame(handler, middlewares), undefined, [post(`${event()} ${webhookSecret}`), context]);
};

/** Handles an event in a new process, which has cached nothing. */
const loadAgain = async (service: keyof typeof ENTRIES, one: unknown): Promise<unknown> => {
  vi.resetModules();
  const { handler } = await ENTRIES[service]();
  return Reflect.apply(handler, undefined, [one, context]);
};

describe('a function whose AWS services quote everything in their errors', () => {
  it.each(Object.keys(FAULTS))('logs "%s" without personal data and secrets', async (line) => {
    output.length = 0;

    await FAULTS[line]?.();

    const lines = output
      .join('')
      .split('\n')
      .filter((one) => one !== '');
    expect(lines.map((one) => JSON.parse(one).message)).toContain(line);
    expect(lines.filter((one) => canariesIn(one).length > 0)).toEqual([]);
  });

  it('logs every line that a complete stage cannot be made to log', () => {
    expect(linesDrivenBy('faults').filter((line) => !Object.hasOwn(FAULTS, line))).toEqual([]);
  });

  it('puts no personal data and no secrets into the attributes of dead letters', () => {
    const attributes = sent.map(({ MessageAttributes }) => JSON.stringify(MessageAttributes));

    expect(attributes).toHaveLength(3);
    expect(attributes.filter((one) => canariesIn(one).length > 0)).toEqual([]);
  });
});
