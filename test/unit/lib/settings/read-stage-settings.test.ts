import { describe, expect, test } from 'vitest';
import { readStageSettings } from '../../../../lib/settings/read-stage-settings.ts';
import { faults, read, VALID, withSetting } from './valid-settings.ts';

describe('Settings', () => {
  test('have defaults', () => {
    expect(read()).toEqual({
      ...VALID,
      production: false,
      chatService: {
        ...VALID.chatService,
        numberFormat: 'verbatim',
        clientPayload: 'intent',
        contactCheckPath: 'customer/checkChatContact',
        answerTimeoutSeconds: 10,
        maxConcurrentCalls: 200,
      },
      contactCheck: 'off',
      optOutExemptReasons: [],
      webhook: {
        ingress: 'direct',
        auth: {
          ...VALID.webhook.auth,
          jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
        },
        watch: false,
      },
      allowInsecureWebhook: false,
      sends: {},
      window: { per: 'user', marginSeconds: 60 },
      events: { targets: [] },
      retentionDays: { messages: 400, sends: 400, contacts: 400, audit: 400, logs: 30 },
      customerManagedKey: false,
      reservedConcurrency: {},
      rollout: 'allAtOnce',
      tags: {},
    });
  });

  test.each([
    { path: 'chatService.baseUrl', value: 'https://chat-service.example/eu' },
    { path: 'chatService.baseUrl', value: 'http://127.0.0.1:8080' },
    { path: 'chatService.baseUrl', value: 'http://localhost:8080' },
    { path: 'webhook.auth', value: { kind: 'standard-webhooks', envelope: 'none' } },
    { path: 'webhook.auth', value: { kind: 'shared-token', header: 'X-Webhook-Token', envelope: 'pubsub' } },
    { path: 'webhook.auth', value: { kind: 'sns', topicArn: 'arn:aws:sns:eu-west-1:444455556666:events.fifo' } },
    { path: 'chatService.numberFormat', value: 'digits' },
    { path: 'chatService.clientPayload', value: 'all' },
    { path: 'chatService.contactCheckPath', value: 'customer/checkOtherContact' },
    { path: 'chatService.answerTimeoutSeconds', value: 60 },
    { path: 'chatService.maxConcurrentCalls', value: 2 },
    { path: 'optOutExemptReasons', value: ['payment', 'reservation'] },
    { path: 'contactCheck', value: 'beforeFirstTemplate' },
    { path: 'window.marginSeconds', value: 0 },
    { path: 'window.per', value: 'channel' },
    { path: 'defaultTemplate', value: { ruleNameOrId: 'welcome', params: { name: 'Ana' } } },
    { path: 'events.content', value: false },
    { path: 'events.content', value: true },
    {
      path: 'events.targets',
      value: [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm', events: ['MessageReceived'] }],
    },
    { path: 'events.targets', value: [{ kind: 'https', url: 'https://crm.example/parley', header: 'authorization' }] },
    { path: 'retentionDays.sends', value: 15 },
    { path: 'retentionDays.logs', value: 3653 },
    { path: 'webhook.auth.jwksUrl', value: 'http://127.0.0.1:8080/certs' },
    { path: 'webhook.throttle', value: { requestsPerSecond: 1, burst: 1 } },
    { path: 'reservedConcurrency', value: { receive: 6, send: 20, publish: 1, manage: 3 } },
    { path: 'rollout', value: 'gradual' },
    { path: 'alarmTopicArn', value: 'arn:aws-cn:sns:cn-north-1:111122223333:alarms' },
  ])('accept $path $value', ({ path, value }) => {
    expect(read(undefined, withSetting(path, value))).toHaveProperty(path, value);
  });
});

test.each(['/', '?', '#', ' ', '\n'])('A base URL that ends with %j is rejected', (end) => {
  const baseUrl = `https://chat-service.example${end}`;

  expect(faults(() => read(undefined, withSetting('chatService.baseUrl', baseUrl)))).toEqual([
    expect.stringMatching(/^stages\.prod\.chatService\.baseUrl: got /),
  ]);
});

describe('The webhook authentication insecure-none', () => {
  const webhook = { auth: { kind: 'insecure-none' } };

  test('is rejected unless the stage also sets allowInsecureWebhook', () => {
    const fault =
      'stages.prod.allowInsecureWebhook: missing, expected true to allow the webhook.auth.kind "insecure-none", which ' +
      'accepts webhook requests from anyone, or false (default false).';

    expect(faults(() => read({ webhook }))).toEqual([fault]);
    expect(faults(() => read({ webhook, allowInsecureWebhook: false }))).toHaveLength(1);
    expect(read({ webhook, allowInsecureWebhook: true }).webhook.auth.kind).toBe('insecure-none');
  });
});

describe('An override', () => {
  test.each([
    { form: 'an object', settings: { webhook: { auth: { audience: 'other' } }, retentionDays: { messages: 30 } } },
    { form: 'JSON', settings: '{"webhook":{"auth":{"audience":"other"}},"retentionDays":{"messages":30}}' },
  ])('given as $form is merged into the settings of the stage name by name', ({ settings }) => {
    const merged = read(settings);

    expect(merged.retentionDays).toMatchObject({ messages: 30, sends: 400 });
    expect(merged.webhook.auth).toMatchObject({ ...VALID.webhook.auth, audience: 'other' });
  });

  test('with another kind of webhook.auth replaces the whole object', () => {
    const auth = { kind: 'shared-token', header: 'x-token' };

    expect(read({ webhook: { auth } }).webhook.auth).toEqual({ ...auth, envelope: 'none' });
  });

  test('replaces a whole list', () => {
    const stages = { dev: { ...VALID, optOutExemptReasons: ['payment', 'reservation'] } };
    const settings = JSON.stringify({ optOutExemptReasons: ['ticket-change'] });

    expect(readStageSettings({ stages, stage: 'dev', settings }).settings.optOutExemptReasons).toEqual([
      'ticket-change',
    ]);
  });

  test.each(['{oops', '[]', '"text"', 'null', '', 7])(
    'of %j is rejected because it is not a JSON object',
    (settings) => {
      expect(faults(() => read(settings))).toEqual([
        expect.stringMatching(/^settings: expected a JSON object that overrides/),
      ]);
    },
  );
});

describe('The stage name', () => {
  const stages = { dev: VALID, prod: VALID };

  test.each([
    {
      stage: undefined,
      says: 'stage: missing; select one with -c stage=NAME, such as -c stage=dev. Known stages: dev, prod.',
    },
    { stage: '', says: 'stage: missing;' },
    { stage: 'pord', says: 'stage: unknown stage "pord"; did you mean prod? Known stages: dev, prod.' },
    {
      stage: 'integration',
      says: 'stage: unknown stage "integration"; add it to context.stages of cdk.json. Known stages:',
    },
    { stage: 'toString', says: 'stage: unknown stage "toString";' },
  ])('$stage is rejected with the known names', ({ stage, says }) => {
    expect(faults(() => readStageSettings({ stages, stage }))).toEqual([expect.stringContaining(says)]);
  });

  test.each(['my_stage', 's'.repeat(58)])('must be valid in the names of the stack and its resources: %s', (stage) => {
    expect(faults(() => readStageSettings({ stages: { [stage]: VALID }, stage }))).toEqual([
      expect.stringContaining(`stage: got "${stage}", expected a name of 1 to 57 letters, digits and hyphens.`),
    ]);
  });

  test('can have 57 characters', () => {
    const stage = 's'.repeat(57);
    expect(readStageSettings({ stages: { [stage]: VALID }, stage }).name).toBe(stage);
  });

  test.each([undefined, {}, [], 'dev'])('cannot be looked up when the stages are %j', (none) => {
    expect(faults(() => readStageSettings({ stages: none, stage: 'dev' }))).toEqual([
      expect.stringContaining(
        'stages: missing, expected an object with the settings of each stage in context.stages of cdk.json.',
      ),
    ]);
  });

  test('is rejected when its settings are not an object', () => {
    expect(faults(() => readStageSettings({ stages: { dev: 'x' }, stage: 'dev' }))).toEqual([
      expect.stringMatching(/^stages\.dev: got "x", expected an object with the stage's settings\.$/),
    ]);
  });
});
