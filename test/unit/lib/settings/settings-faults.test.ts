import { describe, expect, test } from 'vitest';
import { faults, read, VALID, withSetting } from './valid-settings.ts';

describe('A wrong setting', () => {
  test.each([
    { path: 'production', value: 'yes', says: 'got "yes", expected true or false: whether the data outlives' },
    { path: 'chatService', value: undefined, says: 'missing, expected an object with baseUrl' },
    {
      path: 'chatService',
      value: 'https://a.example',
      says: 'got "https://a.example", expected an object with baseUrl',
    },
    {
      path: 'chatService.baseUrl',
      value: undefined,
      says: 'missing, expected the base URL of the chat service: https',
    },
    {
      path: 'chatService.baseUrl',
      value: 'chat-service.example',
      says: 'got "chat-service.example", expected the base URL',
    },
    {
      path: 'chatService.baseUrl',
      value: 'http://chat-service.example',
      says: 'got "http://chat-service.example", expected',
    },
    {
      path: 'chatService.baseUrl',
      value: 'http://localhost.example',
      says: 'got "http://localhost.example", expected',
    },
    {
      path: 'chatService.baseUrl',
      value: 'https://a.example/',
      says: 'expected the base URL of the chat service: https',
    },
    { path: 'chatService.baseUrl', value: 'https://a.example?b', says: 'without a trailing slash' },
    { path: 'chatService.baseUrl', value: 'https://user:secret@a.example', says: 'expected the base URL' },
    {
      path: 'chatService.answerTimeoutSeconds',
      value: 61,
      says: "got 61, expected an integer from 1 to 60: how many seconds to wait for the chat service's answer",
    },
    {
      path: 'chatService.maxConcurrentCalls',
      value: 1,
      says: 'got 1, expected an integer from 2 to 2000: how many calls to the chat service',
    },
    { path: 'optOutExemptReasons', value: 'payment', says: 'got "payment", expected a list of reasons, such as' },
    { path: 'chatPlatform', value: undefined, says: "missing, expected the chat service's name of the chat platform" },
    { path: 'chatPlatform', value: 'a#b', says: 'got "a#b", expected the chat service\'s name of the chat platform' },
    { path: 'chatChannelNumber', value: undefined, says: 'missing, expected the business number' },
    {
      path: 'chatChannelNumber',
      value: '5491100000000',
      says: 'got "5491100000000", expected the business number for requests without one: a plus and',
    },
    { path: 'chatChannelNumber', value: 5491100000000, says: 'got 5491100000000, expected the business number' },
    { path: 'webhook', value: undefined, says: 'missing, expected an object with auth' },
    { path: 'webhook.auth', value: undefined, says: "missing, expected an object with kind and that kind's settings" },
    { path: 'webhook.auth.kind', value: undefined, says: 'missing, expected "pubsub-jwt"' },
    { path: 'webhook.auth.kind', value: 'none', says: 'got "none", expected "pubsub-jwt"' },
    { path: 'webhook.auth.audience', value: undefined, says: 'missing, expected the audience' },
    { path: 'webhook.auth.audience', value: '', says: 'got "", expected the audience' },
    { path: 'webhook.auth.serviceAccountEmail', value: 'events', says: 'got "events", expected the email address' },
    { path: 'webhook.auth.issuers', value: [], says: 'got [], expected a non-empty list' },
    { path: 'webhook.auth.jwksUrl', value: 'certs', says: 'got "certs", expected the URL of the keys' },
    {
      path: 'webhook.auth.jwksUrl',
      value: 'http://keys.bank.internal/certs',
      says: 'got "http://keys.bank.internal/certs", expected the URL of the keys',
    },
    {
      path: 'webhook.auth.jwksUrl',
      value: 'file:///etc/keys.json',
      says: "that sign the push subscription's tokens: https (http only on 127.0.0.1 or localhost)",
    },
    {
      path: 'retentionDays.logs',
      value: 31,
      says: 'got 31, expected how many days to keep logs, one of the numbers that CloudWatch Logs accepts: 1, 3, 5, 7,',
    },
    {
      path: 'reservedConcurrency.receive',
      value: 5,
      says: 'got 5, expected an integer from 6 to 10000: how many executions of receive',
    },
    {
      path: 'reservedConcurrency.send',
      value: 19,
      says: 'at least a tenth of chatService.maxConcurrentCalls plus a tenth of sends.bulkLane.maxConcurrentCalls: how many',
    },
    {
      path: 'rollout',
      value: 'canary',
      says: 'got "canary", expected "allAtOnce" or "gradual": whether a new version',
    },
    { path: 'sends', value: true, says: 'got true, expected an object with notAfter' },
    { path: 'window', value: 60, says: 'got 60, expected an object with per and marginSeconds' },
    { path: 'window.per', value: 'day', says: 'got "day", expected "user" or "channel": whether conversation windows' },
    { path: 'window.marginSeconds', value: -1, says: 'got -1, expected an integer from 0 to 3600: how many seconds' },
    { path: 'window.marginSeconds', value: 1.5, says: 'got 1.5, expected an integer' },
    { path: 'window.marginSeconds', value: 3601, says: 'got 3601, expected an integer from 0 to 3600' },
    { path: 'defaultTemplate', value: 'welcome', says: 'got "welcome", expected an object with ruleNameOrId' },
    {
      path: 'defaultTemplate.ruleNameOrId',
      value: '',
      says: 'got "", expected the name or id of an approved template',
    },
    { path: 'events', value: true, says: 'got true, expected an object with content and targets' },
    {
      path: 'events.content',
      value: 'no',
      says: 'got "no", expected true or false: whether events include the content',
    },
    { path: 'events.targets', value: 'queue', says: 'got "queue", expected a list of up to 50 objects with kind' },
    {
      path: 'retentionDays.sends',
      value: 14,
      says: 'got 14, expected an integer from 15 to 3650: how many days to keep sends',
    },
    { path: 'retentionDays.sends', value: '400', says: 'got "400", expected an integer' },
    { path: 'retentionDays.sends', value: 4000, says: 'got 4000, expected an integer from 15 to 3650' },
    { path: 'customerManagedKey', value: 1, says: 'got 1, expected true or false: whether the table, queues' },
    { path: 'alarmTopicArn', value: 'alarms', says: 'got "alarms", expected the ARN of the SNS topic' },
  ])('at $path of $value is named with what it is and may be', ({ path, value, says }) => {
    const [fault, ...more] = faults(() => read(undefined, withSetting(path, value)));

    expect(fault).toMatch(new RegExp(`^stages\\.prod\\.${path.replaceAll('.', '\\.')}: `));
    expect(fault).toContain(says);
    expect(more).toEqual([]);
  });

  test.each([' ', 'a'.repeat(501), '\ud800'])('such as the confirmation of opt-outs %j says what it may be', (text) => {
    const keywords = { languages: ['en'], confirmation: text };

    expect(faults(() => read(undefined, withSetting('keywords', keywords)))).toEqual([
      expect.stringMatching(
        /^stages\.prod\.keywords\.confirmation: .* expected a text of 1 to 500 characters, such as/,
      ),
    ]);
  });

  test.each([
    {
      path: 'webhook.auth',
      value: { kind: 'shared-token', header: 'a b' },
      place: 'webhook.auth.header',
      says: 'got "a b", expected the name of the header',
    },
    {
      path: 'webhook.auth',
      value: { kind: 'shared-token', header: 'x-token', envelope: 'sns' },
      place: 'webhook.auth.envelope',
      says: 'got "sns", expected "none" or "pubsub": whether the body of a webhook request is the event itself',
    },
    {
      path: 'webhook.auth',
      value: { kind: 'sns', topicArn: 'events' },
      place: 'webhook.auth.topicArn',
      says: 'got "events", expected the ARN of the SNS topic',
    },
    {
      path: 'webhook.auth',
      value: { kind: 'standard-webhooks', envelope: 'sns' },
      place: 'webhook.auth.envelope',
      says: 'got "sns", expected "none" or "pubsub"',
    },
    {
      path: 'webhook.auth.issuers',
      value: ['a', 7],
      place: 'webhook.auth.issuers.1',
      says: 'got 7, expected a non-empty list of',
    },
    {
      path: 'defaultTemplate',
      value: { ruleNameOrId: 'welcome', params: { name: 7 } },
      place: 'defaultTemplate.params.name',
      says: "got 7, expected an object of strings: the values of the template's variables",
    },
    {
      path: 'sends.bulkLane',
      value: { maxConcurrentCalls: 50, maxCallsPerSecond: 4 },
      place: 'sends.bulkLane.maxCallsPerSecond',
      says: 'got 4, expected an integer from 2 to 1000, at least a tenth of sends.bulkLane.maxConcurrentCalls: how many',
    },
    {
      path: 'sends.bulkLane',
      value: { maxConcurrentCalls: 2, maxCallsPerSecond: 1.5 },
      place: 'sends.bulkLane.maxCallsPerSecond',
      says: 'got 1.5, expected an integer from 2 to 1000',
    },
    {
      path: 'optOutExemptReasons',
      value: ['advertising'],
      place: 'optOutExemptReasons.0',
      says: 'got "advertising", expected a list of reasons, such as ["payment"]',
    },
    {
      path: 'events.targets',
      value: [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm.fifo' }],
      place: 'events.targets.0.queueArn',
      says: 'got "arn:aws:sqs:eu-west-1:111122223333:crm.fifo", expected a list of up to 50 objects',
    },
    {
      path: 'events.targets',
      value: [{ kind: 'https', url: 'http://crm.example' }],
      place: 'events.targets.0.url',
      says: 'got "http://crm.example", expected a list of up to 50 objects',
    },
    {
      path: 'events.targets',
      value: [{ kind: 'https', url: 'https://crm.example', events: ['MessageRecieved'] }],
      place: 'events.targets.0.events.0',
      says: 'got "MessageRecieved", expected a list of up to 50 objects',
    },
  ])('within $path is named by its own path', ({ path, value, place, says }) => {
    expect(faults(() => read(undefined, withSetting(path, value)))).toEqual([
      expect.stringContaining(`stages.prod.${place}: ${says}`),
    ]);
  });

  test('is reported together with all others', () => {
    const settings = { ...VALID, chatPlatform: undefined, retentionDays: { sends: 3 }, customerManagedKey: 'no' };

    expect(faults(() => read(undefined, settings)).map((fault) => fault.split(':')[0])).toEqual([
      'stages.prod.chatPlatform',
      'stages.prod.retentionDays.sends',
      'stages.prod.customerManagedKey',
    ]);
  });

  test('is quoted up to a limit', () => {
    const [fault] = faults(() => read({ chatPlatform: '#'.repeat(5000) }));

    expect(fault?.length).toBeLessThan(300);
  });
});

describe('An unknown setting', () => {
  test.each([
    { path: 'retentionDay', says: 'stages.prod.retentionDay: unknown setting; did you mean retentionDays?' },
    { path: 'chatservice', says: 'stages.prod.chatservice: unknown setting; did you mean chatService?' },
    {
      path: 'webhook.audience',
      says: 'stages.prod.webhook.audience: unknown setting; remove it. Known settings: auth, ingress, watch, throttle.',
    },
    { path: 'webhook.auth.jwkUrl', says: 'stages.prod.webhook.auth.jwkUrl: unknown setting; did you mean jwksUrl?' },
    { path: 'defaultTemplate.name', says: 'stages.prod.defaultTemplate.name: unknown setting;' },
  ])('$path is rejected with the nearest known name', ({ path, says }) => {
    expect(faults(() => read(undefined, withSetting(path, 'x')))).toContainEqual(expect.stringContaining(says));
  });

  test('named __proto__ is rejected like any other', () => {
    expect(faults(() => read('{"__proto__":{"production":true}}'))).toEqual([
      expect.stringContaining('stages.prod.__proto__: unknown setting; remove it.'),
    ]);
  });
});
