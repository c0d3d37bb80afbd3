import { describe, expect, test } from 'vitest';
import { faults, read, VALID, withSetting } from './valid-settings.ts';

describe('A wrong setting', () => {
  test.each<[path: string, value: unknown, says: string]>([
    ['production', 'yes', 'got "yes", expected true or false: whether the data outlives'],
    ['chatService', undefined, 'missing, expected an object with baseUrl'],
    ['chatService', 'https://a.example', 'got "https://a.example", expected an object with baseUrl'],
    ['chatService.baseUrl', undefined, 'missing, expected the base URL of the chat service: https'],
    ['chatService.baseUrl', 'chat-service.example', 'got "chat-service.example", expected the base URL'],
    ['chatService.baseUrl', 'http://chat-service.example', 'got "http://chat-service.example", expected'],
    ['chatService.baseUrl', 'http://localhost.example', 'got "http://localhost.example", expected'],
    ['chatService.baseUrl', 'https://a.example/', 'expected the base URL of the chat service: https'],
    ['chatService.baseUrl', 'https://a.example?b', 'without a trailing slash'],
    ['chatService.baseUrl', 'https://user:secret@a.example', 'expected the base URL'],
    [
      'chatService.answerTimeoutSeconds',
      61,
      "got 61, expected an integer from 1 to 60: how many seconds to wait for the chat service's answer",
    ],
    [
      'chatService.maxConcurrentCalls',
      1,
      'got 1, expected an integer from 2 to 2000: how many calls to the chat service',
    ],
    ['optOutExemptReasons', 'payment', 'got "payment", expected a list of reasons, such as'],
    ['chatPlatform', undefined, "missing, expected the chat service's name of the chat platform"],
    ['chatPlatform', 'a#b', 'got "a#b", expected the chat service\'s name of the chat platform'],
    ['chatChannelNumber', undefined, 'missing, expected the business number'],
    [
      'chatChannelNumber',
      '5491100000000',
      'got "5491100000000", expected the business number for requests without one: a plus and',
    ],
    ['chatChannelNumber', 5491100000000, 'got 5491100000000, expected the business number'],
    ['webhook', undefined, 'missing, expected an object with auth'],
    ['webhook.auth', undefined, "missing, expected an object with kind and that kind's settings"],
    ['webhook.auth.kind', undefined, 'missing, expected "pubsub-jwt"'],
    ['webhook.auth.kind', 'none', 'got "none", expected "pubsub-jwt"'],
    ['webhook.auth.audience', undefined, 'missing, expected the audience'],
    ['webhook.auth.audience', '', 'got "", expected the audience'],
    ['webhook.auth.serviceAccountEmail', 'events', 'got "events", expected the email address'],
    ['webhook.auth.jwksUrl', 'certs', 'got "certs", expected the URL of the keys'],
    [
      'webhook.auth.jwksUrl',
      'http://keys.bank.internal/certs',
      'got "http://keys.bank.internal/certs", expected the URL of the keys',
    ],
    [
      'webhook.auth.jwksUrl',
      'file:///etc/keys.json',
      "that sign the push subscription's tokens: https (http only on 127.0.0.1 or localhost)",
    ],
    [
      'retentionDays.logs',
      31,
      'got 31, expected how many days to keep logs, one of the numbers that CloudWatch Logs accepts: 1, 3, 5, 7,',
    ],
    ['reservedConcurrency.receive', 5, 'got 5, expected an integer from 6 to 10000: how many executions of receive'],
    [
      'reservedConcurrency.send',
      19,
      'at least a tenth of chatService.maxConcurrentCalls plus a tenth of sends.bulkLane.maxConcurrentCalls: how many',
    ],
    ['rollout', 'canary', 'got "canary", expected "allAtOnce" or "gradual": whether a new version'],
    ['sends', true, 'got true, expected an object with notAfter'],
    ['window', 60, 'got 60, expected an object with per and marginSeconds'],
    ['window.per', 'day', 'got "day", expected "user" or "channel": whether conversation windows'],
    ['window.marginSeconds', -1, 'got -1, expected an integer from 0 to 3600: how many seconds'],
    ['window.marginSeconds', 1.5, 'got 1.5, expected an integer'],
    ['window.marginSeconds', 3601, 'got 3601, expected an integer from 0 to 3600'],
    ['defaultTemplate', 'welcome', 'got "welcome", expected an object with ruleNameOrId'],
    ['defaultTemplate.ruleNameOrId', '', 'got "", expected the name or id of an approved template'],
    ['events', true, 'got true, expected an object with content and targets'],
    ['events.content', 'no', 'got "no", expected true or false: whether events include the content'],
    ['events.targets', 'queue', 'got "queue", expected a list of up to 50 objects with kind'],
    ['retentionDays.sends', 14, 'got 14, expected an integer from 15 to 3650: how many days to keep sends'],
    ['retentionDays.sends', '400', 'got "400", expected an integer'],
    ['retentionDays.sends', 4000, 'got 4000, expected an integer from 15 to 3650'],
    ['customerManagedKey', 1, 'got 1, expected true or false: whether the table, queues'],
    [
      'tags',
      Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`t${n}`, 'x'])),
      'expected an object of up to 40',
    ],
    ['alarmTopicArn', 'alarms', 'got "alarms", expected the ARN of the SNS topic'],
  ])('at %s of %j is named with what it is and may be', (path, value, says) => {
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

  test.each<[path: string, value: unknown, place: string, says: string]>([
    [
      'webhook.auth',
      { kind: 'shared-token', header: 'a b' },
      'webhook.auth.header',
      'got "a b", expected the name of the header',
    ],
    [
      'webhook.auth',
      { kind: 'shared-token', header: 'x-token', envelope: 'sns' },
      'webhook.auth.envelope',
      'got "sns", expected "none" or "pubsub": whether the body of a webhook request is the event itself',
    ],
    [
      'webhook.auth',
      { kind: 'sns', topicArn: 'events' },
      'webhook.auth.topicArn',
      'got "events", expected the ARN of the SNS topic',
    ],
    [
      'webhook.auth',
      { kind: 'standard-webhooks', envelope: 'sns' },
      'webhook.auth.envelope',
      'got "sns", expected "none" or "pubsub"',
    ],
    ['tags', { 'aws:team': 'chat' }, 'tags.aws:team', 'got "chat", expected an object of up to 40 tags, such as'],
    ['tags', { team: '' }, 'tags.team', 'got "", expected an object of up to 40 tags, such as'],
    [
      'defaultTemplate',
      { ruleNameOrId: 'welcome', params: { name: 7 } },
      'defaultTemplate.params.name',
      "got 7, expected an object of strings: the values of the template's variables",
    ],
    [
      'sends.bulkLane',
      { maxConcurrentCalls: 50, maxCallsPerSecond: 4 },
      'sends.bulkLane.maxCallsPerSecond',
      'got 4, expected an integer from 2 to 1000, at least a tenth of sends.bulkLane.maxConcurrentCalls: how many',
    ],
    [
      'sends.bulkLane',
      { maxConcurrentCalls: 2, maxCallsPerSecond: 1.5 },
      'sends.bulkLane.maxCallsPerSecond',
      'got 1.5, expected an integer from 2 to 1000',
    ],
    [
      'optOutExemptReasons',
      ['advertising'],
      'optOutExemptReasons.0',
      'got "advertising", expected a list of reasons, such as ["payment"]',
    ],
    [
      'events.targets',
      [{ kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:crm.fifo' }],
      'events.targets.0.queueArn',
      'got "arn:aws:sqs:eu-west-1:111122223333:crm.fifo", expected a list of up to 50 objects',
    ],
    [
      'events.targets',
      [
        { kind: 'https', url: 'https://crm.example' },
        { kind: 'https', url: 'https://crm.example', events: ['MessageReceived'] },
      ],
      'events.targets',
      'got [{"kind":"https","url":"https://crm.example"',
    ],
    [
      'events.targets',
      [{ kind: 'https', url: 'https://crm.example/ñ' }],
      'events.targets.0.url',
      'got "https://crm.example/ñ", expected a list of up to 50 objects',
    ],
    [
      'events.targets',
      [{ kind: 'https', url: 'http://crm.example' }],
      'events.targets.0.url',
      'got "http://crm.example", expected a list of up to 50 objects',
    ],
    [
      'events.targets',
      [{ kind: 'https', url: 'https://crm.example', events: ['MessageRecieved'] }],
      'events.targets.0.events.0',
      'got "MessageRecieved", expected a list of up to 50 objects',
    ],
  ])('within %s of %j is named by its own path: %s', (path, value, place, says) => {
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
