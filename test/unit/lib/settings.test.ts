import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readStageSettings } from '../../../lib/settings/read-stage-settings.ts';
import { SETTINGS_GUIDE } from '../../../lib/settings/settings-guide.ts';
import { stageSettings } from '../../../lib/settings/stage-settings.ts';
import { faults, read, VALID, withSetting } from './valid-settings.ts';

describe('A stage’s settings', () => {
  test('have the documented defaults', () => {
    expect(read()).toEqual({
      ...VALID,
      production: false,
      chatService: {
        ...VALID.chatService,
        numberFormat: 'verbatim',
        clientPayload: 'intent',
        contactCheckPath: 'customer/checkChatContact',
      },
      contactCheck: 'off',
      webhook: {
        auth: {
          ...VALID.webhook.auth,
          issuers: ['https://accounts.google.com', 'accounts.google.com'],
          jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
        },
      },
      allowInsecureWebhook: false,
      window: { per: 'user', marginSeconds: 60 },
      events: { content: true, targets: [] },
      retentionDays: 400,
      customerManagedKey: false,
    });
  });

  test.each([
    { path: 'production', value: true },
    { path: 'chatService.baseUrl', value: 'https://chat-service.example/eu' },
    { path: 'chatService.baseUrl', value: 'http://127.0.0.1:8080' },
    { path: 'chatService.baseUrl', value: 'http://localhost:8080' },
    { path: 'webhook.auth', value: { kind: 'standard-webhooks', toleranceSeconds: 60 } },
    { path: 'webhook.auth', value: { kind: 'shared-token', header: 'X-Webhook-Token' } },
    { path: 'webhook.auth', value: { kind: 'sns', topicArn: 'arn:aws:sns:eu-west-1:111122223333:events.fifo' } },
    { path: 'chatService.numberFormat', value: 'digits' },
    { path: 'chatService.clientPayload', value: 'all' },
    { path: 'chatService.contactCheckPath', value: 'customer/checkOtherContact' },
    { path: 'contactCheck', value: 'beforeFirstTemplate' },
    { path: 'window.marginSeconds', value: 0 },
    { path: 'window.per', value: 'channel' },
    { path: 'defaultTemplate', value: { ruleNameOrId: 'welcome', params: { name: 'Ana' } } },
    { path: 'events.content', value: false },
    {
      path: 'events.targets',
      value: [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm', events: ['MessageReceived'] }],
    },
    { path: 'events.targets', value: [{ kind: 'https', url: 'https://crm.example/parley', header: 'authorization' }] },
    { path: 'retentionDays', value: 15 },
    { path: 'alarmTopicArn', value: 'arn:aws-cn:sns:cn-north-1:111122223333:alarms' },
  ])('may have $path $value', ({ path, value }) => {
    expect(read(undefined, withSetting(path, value))).toHaveProperty(path, value);
  });
});

describe('A webhook that verifies nothing', () => {
  const webhook = { auth: { kind: 'insecure-none' } };

  test('is refused unless the stage says so a second time', () => {
    const says =
      'stages.prod.allowInsecureWebhook: missing; give true if webhook.auth may be "insecure-none", under which anybody ' +
      'can post events, else false (the default).';

    expect(faults(() => read({ webhook }))).toEqual([says]);
    expect(faults(() => read({ webhook, allowInsecureWebhook: false }))).toHaveLength(1);
    expect(read({ webhook, allowInsecureWebhook: true }).webhook.auth.kind).toBe('insecure-none');
  });
});

describe('The override', () => {
  test.each([
    { form: 'an object', settings: { webhook: { auth: { audience: 'other' } }, retentionDays: 30 } },
    { form: 'JSON', settings: '{"webhook":{"auth":{"audience":"other"}},"retentionDays":30}' },
  ])('as $form goes over the stage’s own settings, name by name', ({ settings }) => {
    const merged = read(settings);

    expect(merged.retentionDays).toBe(30);
    expect(merged.webhook.auth).toMatchObject({ ...VALID.webhook.auth, audience: 'other' });
  });

  test('with another kind of webhook.auth replaces the settings of the stage’s own kind', () => {
    const auth = { kind: 'shared-token', header: 'x-token' };

    expect(read({ webhook: { auth } }).webhook.auth).toEqual(auth);
  });

  test('replaces a list as a whole', () => {
    expect(read({ webhook: { auth: { issuers: ['one'] } } })).toHaveProperty('webhook.auth.issuers', ['one']);
  });

  test.each(['{oops', '[]', '"text"', 'null', '', 7])('that is %j instead of a JSON object is refused', (settings) => {
    expect(faults(() => read(settings))).toEqual([expect.stringMatching(/^settings: is not a JSON object; give one/)]);
  });
});

describe('The stage', () => {
  const stages = { dev: VALID, prod: VALID };

  test.each([
    {
      stage: undefined,
      says: 'No stage is given; say which with -c stage=NAME, such as -c stage=dev. Known stages: dev, prod.',
    },
    { stage: '', says: 'No stage is given;' },
    { stage: 'pord', says: 'stage: "pord" is unknown; did you mean prod? Known stages: dev, prod.' },
    { stage: 'integration', says: 'stage: "integration" is unknown; add it to the stages of cdk.json. Known stages:' },
    { stage: 'toString', says: 'stage: "toString" is unknown;' },
  ])('$stage is refused with what is known', ({ stage, says }) => {
    expect(faults(() => readStageSettings({ stages, stage }))).toEqual([expect.stringContaining(says)]);
  });

  test('has a name that CloudFormation takes', () => {
    expect(faults(() => readStageSettings({ stages: { my_stage: VALID }, stage: 'my_stage' }))).toEqual([
      expect.stringContaining('stage: is "my_stage"; give a name of up to 64 letters, digits and -'),
    ]);
  });

  test.each([undefined, {}, [], 'dev'])('cannot be found when the stages are %j', (none) => {
    expect(faults(() => readStageSettings({ stages: none, stage: 'dev' }))).toEqual([
      expect.stringContaining('stages: missing; give cdk.json a context.stages'),
    ]);
  });

  test('that is no object is refused', () => {
    expect(faults(() => readStageSettings({ stages: { dev: 'x' }, stage: 'dev' }))).toEqual([
      expect.stringMatching(/^stages\.dev: is "x"; give an object with the stage's settings\.$/),
    ]);
  });
});

describe('The guide to the settings', () => {
  test('knows exactly the settings that there are', () => {
    expect(Object.keys(SETTINGS_GUIDE).sort()).toEqual(
      settingPaths(z.toJSONSchema(stageSettings, { io: 'input' })).sort(),
    );
  });
});

/** Every setting's path; of a choice between kinds, those of every kind. */
function settingPaths(schema: z.core.JSONSchema._JSONSchema, prefix = ''): string[] {
  if (typeof schema === 'boolean') return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => [
    `${prefix}${name}`,
    ...settingPaths(value, `${prefix}${name}.`),
  ]);
  const kinds = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((kind) => settingPaths(kind, prefix));
  return [...new Set([...own, ...kinds])];
}
