import { describe, expect, test } from 'vitest';
import { readStageSettings } from '../../../../lib/settings/read-stage-settings.ts';
import { faults, PRODUCTION, withSetting } from './valid-settings.ts';

const read = (path: string, value: unknown, options: { localRun?: unknown; production?: boolean } = {}) => {
  const { localRun, production = true } = options;
  const prod = withSetting(path, value, { ...PRODUCTION, production });
  return faults(() => readStageSettings({ stages: { prod }, stage: 'prod', localRun }));
};

describe('A production stage', () => {
  test('accepts real addresses', () => {
    expect(read('chatPlatform', 'chat')).toEqual([]);
  });

  test.each([
    'https://chat-service.example',
    'https://chat-service.EXAMPLE',
    'https://chat-service.example.',
    'https://example.com/chat',
    'https://api.example.org',
    'https://api.example.net',
    'https://chat.test',
    'https://chat.invalid',
    'https://127.0.0.1',
    'https://127.9.9.9:8443',
    'https://[::1]:8443',
    'https://0.0.0.0',
    'https://localhost',
    'https://chat.localhost',
    'http://127.0.0.1:8080',
  ])('rejects the placeholder or local address %s', (baseUrl) => {
    expect(read('chatService.baseUrl', baseUrl)).toEqual([
      `stages.prod.chatService.baseUrl: got ${JSON.stringify(baseUrl)}, expected the real address of the chat service, ` +
        'because production is true.',
    ]);
  });

  test.each(['https://example.bank.internal', 'https://contest', 'https://test.bank', 'https://my-example.com'])(
    'accepts %s, which only resembles one',
    (baseUrl) => {
      expect(read('chatService.baseUrl', baseUrl)).toEqual([]);
    },
  );

  test.each([
    { path: 'webhook.auth.jwksUrl', value: 'http://localhost:8080/certs', at: 'webhook.auth.jwksUrl' },
    { path: 'webhook.auth.jwksUrl', value: 'https://keys.example/certs', at: 'webhook.auth.jwksUrl' },
    {
      path: 'webhook.auth.serviceAccountEmail',
      value: 'chat-events@example-project.iam.gserviceaccount.com',
      at: 'webhook.auth.serviceAccountEmail',
    },
    { path: 'chatPlatform', value: 'chat-platform.example', at: 'chatPlatform' },
    { path: 'webhook.auth.audience', value: 'parley-prod.example', at: 'webhook.auth.audience' },
    { path: 'webhook.auth.audience', value: 'https://parley.example.com/webhook', at: 'webhook.auth.audience' },
    { path: 'webhook.auth.serviceAccountEmail', value: 'a@sub.example.com', at: 'webhook.auth.serviceAccountEmail' },
    { path: 'chatChannelNumber', value: '+5491100000000', at: 'chatChannelNumber' },
    {
      path: 'events.targets',
      value: [
        { kind: 'https', url: 'https://crm.bank.internal' },
        { kind: 'https', url: 'https://crm.example/x' },
      ],
      at: 'events.targets.1.url',
    },
    { path: 'allowInsecureWebhook', value: true, at: 'allowInsecureWebhook' },
    { path: 'chatPlatform', value: 'Chat-Platform.Example', at: 'chatPlatform' },
    ...['111122223333', '123456789012'].flatMap((account) => {
      const topicArn = `arn:aws:sns:eu-west-1:${account}:parley`;
      return [
        { path: 'alarmTopicArn', value: topicArn, at: 'alarmTopicArn' },
        { path: 'webhook.auth', value: { kind: 'sns', topicArn }, at: 'webhook.auth.topicArn' },
      ];
    }),
  ])('rejects $path of $value', ({ path, value, at }) => {
    expect(read(path, value)).toEqual([
      expect.stringMatching(`^stages\\.prod\\.${at}: .* because production is true\\.$`),
    ]);
  });

  test.each([
    { path: 'chatPlatform', value: 'test' },
    { path: 'chatPlatform', value: 'example' },
    { path: 'webhook.auth.audience', value: 'parley-prod' },
    { path: 'webhook.auth.audience', value: 'https://abcde12345.execute-api.eu-west-1.amazonaws.com/webhook' },
  ])('accepts $path of $value, which a chat service or a subscription can have', ({ path, value }) => {
    expect(read(path, value)).toEqual([]);
  });

  test('lists every fault', () => {
    const prod = { ...PRODUCTION, chatChannelNumber: '+5491100000000', chatService: { baseUrl: 'https://a.example' } };

    expect(faults(() => readStageSettings({ stages: { prod }, stage: 'prod' }))).toHaveLength(2);
  });

  test('rejects insecure-none even with allowInsecureWebhook', () => {
    const prod = { ...PRODUCTION, webhook: { auth: { kind: 'insecure-none' } }, allowInsecureWebhook: true };

    expect(faults(() => readStageSettings({ stages: { prod }, stage: 'prod' }))).toEqual([
      'stages.prod.allowInsecureWebhook: got true, expected false, because production is true.',
    ]);
  });

  test('may have local addresses in the local run, which only the boolean true selects', () => {
    expect(read('chatService.baseUrl', 'http://127.0.0.1:1', { localRun: true })).toEqual([]);
    expect(read('chatService.baseUrl', 'http://127.0.0.1:1', { localRun: 'true' })).toHaveLength(1);
  });
});

describe('Any other stage', () => {
  test('may have placeholders', () => {
    expect(read('chatService.baseUrl', 'https://chat-service.example', { production: false })).toEqual([]);
    expect(read('allowInsecureWebhook', true, { production: false })).toEqual([]);
  });
});
