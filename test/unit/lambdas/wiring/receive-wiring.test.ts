import { describe, expect, it } from 'vitest';
import type { ReceiveEnvironment } from '../../../../lambdas/receive/environment.ts';
import { NOW, RETENTION_DAYS, wireMessage, wireStatus } from '../../../support/builders.ts';
import { sqsRecord } from '../../../support/sqs-record.ts';
import { refuse, type Scenario } from './wired-function.ts';
import { describeWiring, startedFunctions } from './wiring.ts';

const TOKEN = 'a-secret-of-the-test';

const post = (event: unknown, scenario: Partial<Scenario> = {}): Scenario => ({
  events: [{ headers: { 'x-token': TOKEN }, body: JSON.stringify(event), isBase64Encoded: false }],
  ...scenario,
});
const FAILING = { answers: { UpdateItem: refuse } };
const KEYWORDS = '{"optOut":["BAJA"],"optIn":[]}';
const keyword = (scenario: Partial<Scenario> = {}) => post(wireMessage({ MESSAGE: 'Baja' }), scenario);
const expiry = (days: number) => String(Date.parse('2026-11-20T11:00:05.000Z') / 1000 + days * 86_400);

const USUAL = {
  TABLE_NAME: 'table',
  AWS_ENDPOINT_URL_DYNAMODB: '{aws}',
  AWS_ENDPOINT_URL_SECRETS_MANAGER: '{aws}',
  INBOUND_QUEUE_URL: '{aws}/inbound',
  INBOUND_DEAD_LETTER_QUEUE_URL: '{aws}/quarantine',
  WEBHOOK_AUTH: '{"kind":"shared-token","header":"x-token"}',
  WEBHOOK_SECRET_ID: 'webhook',
  WINDOW_PER: 'user',
  KEYWORDS: undefined,
  SEND_QUEUE_URL: undefined,
  OPERATOR_ECHOES: undefined,
  TURNS: undefined,
  WATCH: undefined,
  CHAT_PLATFORM: 'chat',
  CHAT_CHANNEL_NUMBER: '+5491100000000',
  RETENTION_DAYS: JSON.stringify(RETENTION_DAYS),
};

describeWiring<ReceiveEnvironment>('receive', USUAL, {
  TABLE_NAME: [post(wireMessage()), ['one', '"TableName":"one"'], ['other', '"TableName":"other"']],
  AWS_ENDPOINT_URL_DYNAMODB: [
    post(wireMessage()),
    ['{aws}', 'UpdateItem 127.0.0.1'],
    ['{alias}', 'UpdateItem localhost'],
  ],
  AWS_ENDPOINT_URL_SECRETS_MANAGER: [
    post(wireMessage()),
    ['{aws}', 'GetSecretValue 127.0.0.1'],
    ['{alias}', 'GetSecretValue localhost'],
  ],
  INBOUND_QUEUE_URL: [
    post(wireMessage(), FAILING),
    ['{aws}/one', 'SendMessage one'],
    ['{aws}/other', 'SendMessage other'],
  ],
  INBOUND_DEAD_LETTER_QUEUE_URL: [
    post({ hello: 'world' }),
    ['{aws}/one', 'SendMessage one'],
    ['{aws}/other', 'SendMessage other'],
  ],
  WEBHOOK_AUTH: [
    post(wireMessage()),
    ['{"kind":"shared-token","header":"x-token"}', '"statusCode":200'],
    ['{"kind":"shared-token","header":"x-other"}', '"statusCode":401'],
  ],
  WEBHOOK_SECRET_ID: [post(wireMessage()), ['one', '"SecretId":"one"'], ['other', '"SecretId":"other"']],
  WINDOW_PER: [
    post(wireMessage({ CHAT_CHANNEL_ID: '5491100000001' })),
    ['user', 'CONTACT#chat#*#'],
    ['channel', 'CONTACT#chat#541100000001#'],
  ],
  KEYWORDS: [keyword(), [undefined], [KEYWORDS, '"CONSENT"']],
  SEND_QUEUE_URL: [
    keyword({ variables: { KEYWORDS } }),
    [undefined],
    ['{aws}/confirmations', 'SendMessage confirmations'],
  ],
  OPERATOR_ECHOES: [
    post(wireMessage({ FROM: 'me', TO: '5491155550000', OPERATOR_ID: 'ana' })),
    [undefined],
    ['{"field":"OPERATOR_ID"}', '"HANDOVER"'],
  ],
  TURNS: [post(wireMessage()), ['false'], ['true', '"TURN"']],
  WATCH: [
    { events: [...post(wireMessage()).events, ...post(wireStatus()).events], updated: { pk: 'MESSAGE#message-1' } },
    ['false'],
    ['true', '"CHANNEL#chat#', '"gap#'],
  ],
  CHAT_PLATFORM: [
    post(wireMessage({ CHAT_PLATFORM_ID: undefined })),
    ['one', 'CONTACT#one#'],
    ['other', 'CONTACT#other#'],
  ],
  CHAT_CHANNEL_NUMBER: [
    post(wireMessage({ CHAT_CHANNEL_ID: 'acme-chat-5491100000000' })),
    ['+5491100000000', '"#customerAt"'],
    ['+5491100000001', '"#otherCustomerIds"'],
  ],
  RETENTION_DAYS: [
    post(wireStatus()),
    [JSON.stringify({ ...RETENTION_DAYS, messages: 1 }), expiry(1)],
    [JSON.stringify({ ...RETENTION_DAYS, messages: 2 }), expiry(2)],
  ],
});

describe('what receive does when the table fails', () => {
  const run = startedFunctions();

  it('releases a message on the inbound queue if the table does not accept its event yet', async () => {
    const body = JSON.stringify({ receivedAt: NOW, encoding: 'json', rawBody: wireMessage() });

    const lines = await run('receive', USUAL, { events: [{ Records: [sqsRecord(body)] }], ...FAILING });

    expect(lines).toContainEqual(expect.stringMatching(/^ChangeMessageVisibility\w* inbound /));
  });

  it('gives the table 500 ms, and then the inbound queue 300 ms', async () => {
    const lines = await run('receive', USUAL, post(wireMessage(), FAILING));

    const steps = lines.flatMap((line) => /^(budget \d+|UpdateItem|SendMessage)/.exec(line)?.[0] ?? []);
    expect([...new Set(steps)]).toEqual(['budget 400', 'budget 500', 'UpdateItem', 'budget 300', 'SendMessage']);
  });
});
