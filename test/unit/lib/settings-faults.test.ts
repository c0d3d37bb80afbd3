import { describe, expect, test } from 'vitest';
import { faults, read, VALID, withSetting } from './valid-settings.ts';

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
    { path: 'window', value: 60, says: 'is 60; give an object with per and marginSeconds' },
    { path: 'window.per', value: 'day', says: 'is "day"; give "user" to keep conversation windows' },
    { path: 'window.marginSeconds', value: -1, says: 'is -1; give how many seconds' },
    { path: 'window.marginSeconds', value: 1.5, says: 'is 1.5; give how many seconds' },
    { path: 'window.marginSeconds', value: 3601, says: 'a whole number from 0 to 3600' },
    { path: 'defaultTemplate', value: 'welcome', says: 'is "welcome"; give an object with ruleNameOrId' },
    { path: 'defaultTemplate.ruleNameOrId', value: '', says: 'is ""; give the name or id of an approved template' },
    { path: 'events', value: true, says: 'is true; give an object with content and targets' },
    { path: 'events.content', value: 'no', says: 'is "no"; give true for events that carry what was written' },
    { path: 'events.targets', value: 'queue', says: 'is "queue"; give a list of up to 50 objects with kind' },
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
    {
      path: 'webhook.auth',
      value: { kind: 'shared-token', header: 'a b' },
      place: 'webhook.auth.header',
      says: 'is "a b"; give the name of the header',
    },
    {
      path: 'webhook.auth',
      value: { kind: 'sns', topicArn: 'events' },
      place: 'webhook.auth.topicArn',
      says: 'is "events"; give the ARN of the SNS topic',
    },
    {
      path: 'webhook.auth',
      value: { kind: 'standard-webhooks', toleranceSeconds: 0 },
      place: 'webhook.auth.toleranceSeconds',
      says: "is 0; give how many seconds a post's timestamp",
    },
    { path: 'webhook.auth.issuers', value: ['a', 7], place: 'webhook.auth.issuers.1', says: 'is 7; give a list of' },
    {
      path: 'defaultTemplate',
      value: { ruleNameOrId: 'welcome', params: { name: 7 } },
      place: 'defaultTemplate.params.name',
      says: "is 7; give the values of the template's variables",
    },
    {
      path: 'events.targets',
      value: [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm.fifo' }],
      place: 'events.targets.0.queueArn',
      says: 'is "arn:aws:sqs:eu-west-1:111122223333:crm.fifo"; give a list of up to 50 objects',
    },
    {
      path: 'events.targets',
      value: [{ kind: 'https', url: 'http://crm.example' }],
      place: 'events.targets.0.url',
      says: 'is "http://crm.example"; give a list of up to 50 objects',
    },
    {
      path: 'events.targets',
      value: [{ kind: 'https', url: 'https://crm.example', events: ['MessageRecieved'] }],
      place: 'events.targets.0.events.0',
      says: 'is "MessageRecieved"; give a list of up to 50 objects',
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
