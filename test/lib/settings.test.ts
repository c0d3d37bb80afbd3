import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readStageSettings, SettingsError } from '../../lib/settings.ts';
import { SETTINGS_GUIDE } from '../../lib/settings-guide.ts';
import { stageSettings } from '../../lib/stage-settings.ts';

const VALID = {
  chatService: { baseUrl: 'https://chat-service.example' },
  chatPlatform: 'chat',
  chatChannelNumber: '+5491100000000',
  webhook: {
    auth: {
      kind: 'pubsub-jwt',
      audience: 'parley-prod',
      serviceAccountEmail: 'events@project.iam.gserviceaccount.com',
    },
  },
};

function read(settings?: unknown, prod: unknown = VALID) {
  return readStageSettings({ stages: { dev: VALID, prod }, stage: 'prod', settings }).settings;
}

/** The faults' sentences; none when the settings are read. */
function faults(readSettings: () => unknown): string[] {
  try {
    readSettings();
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n');
  }
}

/** `VALID` with one setting set, or taken out where the value is undefined. */
function withSetting(path: string, value: unknown): unknown {
  const settings = structuredClone<Record<string, unknown>>(VALID);
  const names = path.split('.');
  const last = names.pop() ?? path;
  const parent = names.reduce<Record<string, unknown>>((at, name) => {
    at[name] ??= {};
    return at[name] as Record<string, unknown>;
  }, settings);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return settings;
}

describe('A stage’s settings', () => {
  test('have the documented defaults', () => {
    expect(read()).toEqual({
      ...VALID,
      production: false,
      webhook: {
        auth: {
          ...VALID.webhook.auth,
          issuers: ['https://accounts.google.com', 'accounts.google.com'],
          jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
        },
      },
      window: { marginSeconds: 60 },
      retentionDays: 400,
      customerManagedKey: false,
    });
  });

  test.each([
    { path: 'production', value: true },
    { path: 'chatService.baseUrl', value: 'https://chat-service.example/eu' },
    { path: 'chatService.baseUrl', value: 'http://127.0.0.1:8080' },
    { path: 'chatService.baseUrl', value: 'http://localhost:8080' },
    { path: 'window.marginSeconds', value: 0 },
    { path: 'defaultTemplate', value: { ruleNameOrId: 'welcome', params: { name: 'Ana' } } },
    { path: 'retentionDays', value: 15 },
    { path: 'alarmTopicArn', value: 'arn:aws-cn:sns:cn-north-1:111122223333:alarms' },
  ])('may have $path $value', ({ path, value }) => {
    expect(read(undefined, withSetting(path, value))).toHaveProperty(path, value);
  });
});

describe('A wrong setting', () => {
  test.each([
    { path: 'production', value: 'yes', says: 'is "yes"; give true to protect' },
    { path: 'chatService', value: undefined, says: 'missing; give an object with baseUrl' },
    { path: 'chatService', value: 'https://a.example', says: 'is "https://a.example"; give an object with baseUrl' },
    { path: 'chatService.baseUrl', value: undefined, says: "missing; give the chat service's base address: https" },
    { path: 'chatService.baseUrl', value: 'chat-service.example', says: 'is "chat-service.example"; give the chat' },
    {
      path: 'chatService.baseUrl',
      value: 'http://chat-service.example',
      says: 'is "http://chat-service.example"; give',
    },
    { path: 'chatService.baseUrl', value: 'http://localhost.example', says: 'is "http://localhost.example"; give' },
    { path: 'chatService.baseUrl', value: 'https://a.example/', says: "give the chat service's base address: https" },
    { path: 'chatService.baseUrl', value: 'https://a.example?b', says: 'without a trailing slash' },
    { path: 'chatService.baseUrl', value: 'https://user:secret@a.example', says: 'give the chat' },
    { path: 'chatPlatform', value: undefined, says: 'missing; give the name of the chat platform' },
    { path: 'chatPlatform', value: 'a#b', says: 'is "a#b"; give the name of the chat platform' },
    { path: 'chatChannelNumber', value: undefined, says: "missing; give the business's own number: +" },
    {
      path: 'chatChannelNumber',
      value: '5491100000000',
      says: 'is "5491100000000"; give the business\'s own number: +',
    },
    { path: 'chatChannelNumber', value: 5491100000000, says: "is 5491100000000; give the business's own number: +" },
    { path: 'webhook', value: undefined, says: 'missing; give an object with auth' },
    { path: 'webhook.auth', value: undefined, says: "missing; give an object with kind and that kind's settings" },
    { path: 'webhook.auth.kind', value: undefined, says: 'missing; give "pubsub-jwt"' },
    { path: 'webhook.auth.kind', value: 'none', says: 'is "none"; give "pubsub-jwt"' },
    { path: 'webhook.auth.audience', value: undefined, says: 'missing; give the audience' },
    { path: 'webhook.auth.audience', value: '', says: 'is ""; give the audience' },
    { path: 'webhook.auth.serviceAccountEmail', value: 'events', says: 'is "events"; give the e-mail address' },
    { path: 'webhook.auth.issuers', value: [], says: 'is []; give a list of at least one issuer' },
    { path: 'webhook.auth.jwksUrl', value: 'certs', says: 'is "certs"; give the address of the keys' },
    { path: 'window', value: 60, says: 'is 60; give an object with marginSeconds' },
    { path: 'window.marginSeconds', value: -1, says: 'is -1; give how many seconds' },
    { path: 'window.marginSeconds', value: 1.5, says: 'is 1.5; give how many seconds' },
    { path: 'window.marginSeconds', value: 3601, says: 'a whole number from 0 to 3600' },
    { path: 'defaultTemplate', value: 'welcome', says: 'is "welcome"; give an object with ruleNameOrId' },
    { path: 'defaultTemplate.ruleNameOrId', value: '', says: 'is ""; give the name or id of an approved template' },
    { path: 'retentionDays', value: 14, says: 'is 14; give the days until messages and sends are removed' },
    { path: 'retentionDays', value: '400', says: 'is "400"; give the days' },
    { path: 'retentionDays', value: 4000, says: 'a whole number from 15 to 3650' },
    { path: 'customerManagedKey', value: 1, says: 'is 1; give true to encrypt the table' },
    { path: 'alarmTopicArn', value: 'alarms', says: 'is "alarms"; give the ARN of an SNS topic' },
  ])('$path = $value is named with what it is and may be', ({ path, value, says }) => {
    const [fault, ...more] = faults(() => read(undefined, withSetting(path, value)));

    expect(fault).toMatch(new RegExp(`^stages\\.prod\\.${path.replaceAll('.', '\\.')}: `));
    expect(fault).toContain(says);
    expect(more).toEqual([]);
  });

  test.each([
    { path: 'webhook.auth.issuers', value: ['a', 7], place: 'webhook.auth.issuers.1', says: 'is 7; give a list of' },
    {
      path: 'defaultTemplate',
      value: { ruleNameOrId: 'welcome', params: { name: 7 } },
      place: 'defaultTemplate.params.name',
      says: "is 7; give the values of the template's variables",
    },
  ])('within $path is named by its own place', ({ path, value, place, says }) => {
    expect(faults(() => read(undefined, withSetting(path, value)))).toEqual([
      expect.stringContaining(`stages.prod.${place}: ${says}`),
    ]);
  });

  test('is said together with all others', () => {
    const settings = { ...VALID, chatPlatform: undefined, retentionDays: 3, customerManagedKey: 'no' };

    expect(faults(() => read(undefined, settings)).map((fault) => fault.split(':')[0])).toEqual([
      'stages.prod.chatPlatform',
      'stages.prod.retentionDays',
      'stages.prod.customerManagedKey',
    ]);
  });

  test('is quoted only as far as it helps', () => {
    const [fault] = faults(() => read({ chatPlatform: '#'.repeat(5000) }));

    expect(fault?.length).toBeLessThan(300);
  });
});

describe('An unknown setting', () => {
  test.each([
    { path: 'retentionDay', says: 'stages.prod.retentionDay: unknown setting; did you mean retentionDays?' },
    { path: 'chatservice', says: 'stages.prod.chatservice: unknown setting; did you mean chatService?' },
    { path: 'webhook.audience', says: 'stages.prod.webhook.audience: unknown setting; take it out. Known here: auth.' },
    { path: 'webhook.auth.jwkUrl', says: 'stages.prod.webhook.auth.jwkUrl: unknown setting; did you mean jwksUrl?' },
    { path: 'defaultTemplate.name', says: 'stages.prod.defaultTemplate.name: unknown setting;' },
  ])('$path is refused, with the nearest that is known', ({ path, says }) => {
    expect(faults(() => read(undefined, withSetting(path, 'x')))).toContainEqual(expect.stringContaining(says));
  });

  test('named __proto__ is refused like any other', () => {
    expect(faults(() => read('{"__proto__":{"production":true}}'))).toEqual([
      expect.stringContaining('stages.prod.__proto__: unknown setting; take it out.'),
    ]);
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

  test('replaces a list as a whole', () => {
    expect(read({ webhook: { auth: { issuers: ['one'] } } }).webhook.auth.issuers).toEqual(['one']);
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
function settingPaths(schema: unknown, prefix = ''): string[] {
  const {
    properties = {},
    oneOf = [],
    anyOf = [],
  } = schema as {
    properties?: Record<string, unknown>;
    oneOf?: unknown[];
    anyOf?: unknown[];
  };
  const own = Object.entries(properties).flatMap(([name, value]) => [
    `${prefix}${name}`,
    ...settingPaths(value, `${prefix}${name}.`),
  ]);
  return [...new Set([...own, ...[...oneOf, ...anyOf].flatMap((kind) => settingPaths(kind, prefix))])];
}
