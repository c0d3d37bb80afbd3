import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkSettings } from '../../../../cli/commands/doctor-checks.ts';
import { checkQuarantine } from '../../../../cli/commands/doctor-quarantine.ts';
import { PLACEHOLDERS } from '../../../../lib/settings/placeholders.ts';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { STAGE } from '../../../support/answer-forecasts.ts';
import { NOW } from '../../../support/builders.ts';
import { type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';

let target: LocalTarget;
let service: ListeningServer;
/** How the webhook and the contact check answer, what the sandbox delivered, and what the stage keeps. */
let webhookStatus: number;
let attempts: { at: string; status: number | null }[];
/** The time of the stage's clock. @default that of this machine */
let stageNow: string | undefined;
let kept: Record<string, number>;
let circuitBreaker: Record<string, string>;
/** What the management API lists and counts. */
let listed: Record<string, unknown>;
let refusedInHour: { state: string; code: string; count: number }[];
let refusedInDay: typeof refusedInHour;
let sending: Record<string, string>;
let accessTokenExpiresAt: string | undefined;
/** What the stage answers when it checks the token. */
let checked: readonly [status: number, body: unknown];

beforeEach(async () => {
  webhookStatus = 401;
  attempts = [{ at: new Date().toISOString(), status: 200 }];
  stageNow = undefined;
  kept = {};
  circuitBreaker = STAGE.circuitBreaker;
  listed = {};
  refusedInHour = [];
  refusedInDay = [];
  sending = STAGE.sending;
  accessTokenExpiresAt = undefined;
  checked = [200, { contacts: [] }];
  service = await listenLocally(
    createServer((request, response) => {
      const isControl = request.url?.startsWith('/sandbox/') ?? false;
      const status = isControl ? 200 : webhookStatus;
      response
        .writeHead(status)
        .end(isControl ? JSON.stringify({ deliveries: attempts, now: stageNow }) : 'Unauthorized');
    }),
  );
  target = await startTarget();
});

const startTarget = (addresses: Parameters<typeof startLocalTarget>[0] = {}) =>
  startLocalTarget(
    { webhookUrl: `${service.url}/webhook`, chatServiceUrl: service.url, ...addresses },
    async (method, path) => {
      const { pathname, searchParams } = new URL(path, 'http://api');
      switch (`${method} ${pathname}`) {
        case 'GET /v1/stage':
          return [200, { ...STAGE, circuitBreaker, sending, accessTokenExpiresAt }];
        case 'GET /v1/channels':
          return [200, { watches: false, echoes: false, channels: [] }];
        case 'POST /v1/contact-checks':
          return checked;
        case 'GET /v1/sends':
          return [200, listed[searchParams.get('state') ?? ''] ?? { sends: [] }];
        case 'GET /v1/send-counts': {
          const isLastHour = Date.now() - Date.parse(searchParams.get('since') ?? '') < 2 * 60 * 60 * 1000;
          const counts = (isLastHour ? refusedInHour : refusedInDay).filter(
            ({ state }) => state === searchParams.get('state'),
          );
          return [200, { counts }];
        }
        default: {
          const queue = searchParams.get('queue') ?? '';
          const one = { id: 'x', queue, reason: 'X', since: NOW, keptAt: NOW };
          return [200, { deadLetters: Array.from({ length: kept[queue] ?? 0 }, () => one) }];
        }
      }
    },
  );

afterEach(async () => {
  await target?.[Symbol.asyncDispose]();
  await service?.close();
});

const findings = async (check: string) => {
  const { out } = await target.parley(['doctor', '--json']);
  const all: { check: string; grade: string; message: string }[] = JSON.parse(out).findings;
  // How far away a time is depends on today.
  const withoutDistances = (message: string) => message.replace(/ \(\d+ \w+ ago\)/g, '');
  return all.filter((one) => one.check === check).map(({ grade, message }) => [grade, withoutDistances(message)]);
};
const put = (QueueUrl = '', reason?: string) =>
  target.sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: '{}',
      ...(reason !== undefined && { MessageAttributes: { reason: { DataType: 'String', StringValue: reason } } }),
    }),
  );
/** What `doctor` prints, with the remedies. */
const lines = async (): Promise<string> => (await target.parley(['doctor'])).out;

describe('doctor on sends', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const scheduled = (requestId: string, sendAt: string) => ({
    requestId,
    state: 'scheduled',
    attempts: 0,
    unknownOutcomes: 0,
    sendAt,
  });
  const refused = (count: number, code = 'NO_OPT_IN') => ({ state: 'refused', code, count });

  it('is content with sends that are due soon, and with refusals as usual', async () => {
    listed = { scheduled: { sends: [scheduled('a', minutesAgo(5)), scheduled('b', minutesAgo(-60))] } };
    refusedInHour = [refused(19)];
    refusedInDay = [refused(19)];

    expect(await findings('sends')).toEqual([
      ['ok', 'No sends are uncertain.'],
      ['ok', 'No scheduled sends are overdue.'],
      ['ok', 'Refused, rejected, or failed: 19 sends in the last hour, 19 in the last day.'],
    ]);
  });

  it('names the first scheduled send that is overdue', async () => {
    const sendAt = minutesAgo(20);
    listed = { scheduled: { sends: [scheduled('a', sendAt), scheduled('b', minutesAgo(5))] } };

    expect(await findings('sends')).toContainEqual([
      'failing',
      expect.stringContaining(`Overdue scheduled sends: 1. The oldest, a, was due at ${sendAt}`),
    ]);
  });

  it('shows a spike of refusals, rejections, and failures by code', async () => {
    const unusual = [
      { state: 'rejected', code: '104', count: 5 },
      { state: 'failed', code: '131049', count: 60 },
    ];
    refusedInHour = [refused(40), refused(50, 'OPTED_OUT'), ...unusual];
    refusedInDay = [refused(100), refused(200, 'OPTED_OUT'), ...unusual];

    expect(await findings('sends')).toContainEqual([
      'warning',
      'More sends than usual were refused or rejected, or failed: 155 in the last hour, 9.1 per hour in the day ' +
        'before. Last hour: 60 failed (131049), 50 refused (OPTED_OUT), 40 refused (NO_OPT_IN), 5 rejected (104).',
    ]);
    expect(await lines()).toContain('parley sends list --state failed --code 131049 --since');
  });

  it('is content if as many were refused in every hour of the day', async () => {
    refusedInHour = [refused(100)];
    refusedInDay = [refused(2_400)];

    expect(await findings('sends')).toContainEqual([
      'ok',
      'Refused, rejected, or failed: 100 sends in the last hour, 2400 in the last day.',
    ]);
  });
});

describe('doctor on sending', () => {
  it('warns while an operator has stopped it, and leaves out the note', async () => {
    sending = { state: 'stopped', stoppedAt: NOW, note: 'Ask Ana' };

    expect(await findings('sending')).toEqual([
      ['warning', `An operator stopped sending at ${NOW}, and sends are waiting.`],
    ]);
    expect((await target.parley(['doctor'])).out).not.toContain('Ana');
  });

  it('is satisfied otherwise', async () => {
    expect(await findings('sending')).toEqual([['ok', 'No operator has stopped sending.']]);
  });
});

describe('doctor on the circuit breaker', () => {
  it('shows when the next probe is due', async () => {
    circuitBreaker = { state: 'open', why: 'HTTP 401.', openedAt: NOW, nextProbeAt: '2026-11-20T12:05:00.000Z' };

    expect(await findings('circuit breaker')).toEqual([
      [
        'failing',
        `The circuit breaker has been open since ${NOW}, and sends are waiting. HTTP 401. ` +
          'The next probe is due at 2026-11-20T12:05:00.000Z.',
      ],
    ]);
  });
});

describe('doctor on an open circuit breaker', () => {
  it.each([
    ['no-credit', "Add credit to the chat service's account."],
    ['token', 'Set a valid token with parley token set --local.'],
    ['unreachable', 'Find out why the chat service cannot be reached; see CircuitBreakerOpen in docs/runbook.md.'],
  ])('says what to do about its reason: %s', async (reason, remedy) => {
    circuitBreaker = { state: 'open', reason, why: 'HTTP 403.', openedAt: NOW };

    expect((await target.parley(['doctor'])).out).toContain(`${remedy} Then make the next probe due`);
  });
});

describe('doctor on the token', () => {
  it('says nothing of the service if only the credit is missing', async () => {
    const message = 'The contacts could not be checked. HTTP 403, code 101: the account has no credit; add credit.';
    checked = [502, { code: 'CHAT_SERVICE_FAILED', message }];

    const { out } = await target.parley(['doctor']);

    expect(out).toContain(message);
    expect(out).not.toContain('Is the chat service up');
  });

  it('names the valid channels if the token is for another number', async () => {
    const message = 'HTTP 200, code 304: the channels of the access token are 5491100000001.';
    checked = [409, { code: 'INVALID_CHANNEL', message }];

    expect(await findings('token')).toEqual([
      ['failing', `The chat service accepts the access token, but not for +5491100000000. ${message}`],
    ]);
  });
});

describe('doctor on a token that the chat service refuses', () => {
  const refused = 'The contacts could not be checked. HTTP 401.';
  const fail = (status: number) => {
    checked = [502, { code: 'CHAT_SERVICE_FAILED', message: `The contacts could not be checked. HTTP ${status}.` }];
  };
  const replace = () => {
    const secret = target.secrets.find(target.addresses.accessTokenSecretId);
    if (secret) target.secrets.put(secret, 'a-token');
  };

  it('warns if it is still the one that the deployment generated, and names the command that replaces it', async () => {
    fail(401);

    expect(await findings('token')).toEqual([
      [
        'warning',
        'No access token is stored yet: the secret still contains the random placeholder from its creation, which the ' +
          'chat service refuses.',
      ],
    ]);
    expect(await lines()).toContain(
      'console: parley token set --local < token.txt. Until then, messages are not sent.',
    );
    expect((await target.parley(['doctor'])).code).toBe(0);
  });

  it('fails if it was replaced', async () => {
    fail(401);
    replace();

    expect(await findings('token')).toEqual([['failing', refused]]);
    expect((await target.parley(['doctor'])).code).toBe(6);
  });

  it('fails if nothing shows whether it was replaced, and names the missing permission', async () => {
    fail(401);
    await using denied = await listenLocally(
      createServer((_request, response) => {
        const body = { __type: 'AccessDeniedException', Message: 'User is not authorized' };
        response.writeHead(400, { 'x-amzn-errortype': 'AccessDeniedException' }).end(JSON.stringify(body));
      }),
    );
    const file = join(target.folder, 'local.json');
    const state = JSON.parse(readFileSync(file, 'utf8'));
    state.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = denied.url;
    writeFileSync(file, JSON.stringify(state));

    expect(await findings('token')).toEqual([['failing', refused]]);
    expect(await lines()).toContain('Allow secretsmanager:DescribeSecret');
  });

  it('fails on any other answer of the chat service, although the token was not replaced', async () => {
    fail(503);

    expect(await findings('token')).toEqual([['failing', 'The contacts could not be checked. HTTP 503.']]);
  });

  it('does not question a token that is accepted', async () => {
    expect(await findings('token')).toEqual([['ok', 'The chat service responds and accepts the access token.']]);
  });
});

describe('doctor on the expiry of the token', () => {
  const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * 24 * 60 * 60 * 1000).toISOString();
  const accepted = ['ok', 'The chat service responds and accepts the access token.'];

  it.each([
    ['ok', 31, 'expires', 'in 31 days'],
    ['warning', 29, 'expires', 'in 29 days'],
    ['failing', -1, 'expired', '0 days ago'],
  ])('is %s %i days before', async (grade, days, verb, distance) => {
    accessTokenExpiresAt = inDays(days);

    const message = `The access token ${verb} on ${accessTokenExpiresAt.slice(0, 10)}, ${distance}.`;
    expect(await findings('token')).toEqual([accepted, [grade, message]]);
  });

  it('says nothing if the token does not say when it expires', async () => {
    expect(await findings('token')).toEqual([accepted]);
  });
});

describe('doctor on the webhook', () => {
  const unsigned = () => `${target.addresses.webhookUrl} responds and rejects unsigned requests.`;
  const NO_PROBE = [
    'ok',
    'No test request was sent: the webhook has no secret. Only Pub/Sub or Amazon SNS can sign its requests, or the ' +
      'webhook does not verify requests (insecure-none).',
  ];

  it("is satisfied only if the chat service's own requests are accepted too", async () => {
    attempts = [200, 200, 401].map((status) => ({ at: new Date().toISOString(), status }));
    expect(await findings('webhook')).toEqual([
      ['ok', unsigned()],
      NO_PROBE,
      ['warning', 'Webhook requests in the last 24 hours: 2 accepted, 1 refused as unauthenticated.'],
    ]);

    attempts = attempts.slice(0, 2);
    expect(await findings('webhook')).toEqual([
      ['ok', unsigned()],
      NO_PROBE,
      ['ok', 'Webhook requests in the last 24 hours: 2 accepted, 0 refused as unauthenticated.'],
    ]);
  });

  it('fails if every request of the chat service is refused, although unsigned requests must be', async () => {
    attempts = [401, 401].map((status) => ({ at: new Date().toISOString(), status }));

    expect(await findings('webhook')).toEqual([
      ['ok', unsigned()],
      NO_PROBE,
      ['failing', 'Webhook requests in the last 24 hours: 0 accepted, 2 refused as unauthenticated.'],
    ]);
    expect((await target.parley(['doctor'])).code).toBe(6);
  });

  it('is satisfied if API Gateway puts requests on the queue, in a stage with buffered ingress', async () => {
    await target[Symbol.asyncDispose]();
    target = await startTarget({ webhookIngress: 'buffered' });
    const { webhookUrl } = target.addresses;
    webhookStatus = 200;
    expect((await findings('webhook'))[0]).toEqual([
      'ok',
      `${webhookUrl} responds and puts requests on the inbound queue, where they are verified. So its answer does not show ` +
        'that it rejects unsigned requests.',
    ]);
    await put(target.addresses.inboundQueueUrl);
    expect(await findings('queues')).toContainEqual(['ok', 'Inbound queue: 1 waiting to be stored, 0 in flight.']);
    webhookStatus = 503;
    expect(await findings('webhook')).toEqual([['failing', `${webhookUrl} returns 503 instead of 200.`]]);
  });

  it('warns if nothing has shown that the requests of the chat service are accepted', async () => {
    attempts = [{ at: '2020-01-01T00:00:00.000Z', status: 200 }];

    expect(await findings('webhook')).toEqual([
      ['ok', unsigned()],
      NO_PROBE,
      [
        'warning',
        'No webhook request arrived in the last 24 hours, so it is unknown whether such requests are accepted.',
      ],
    ]);
  });
});

describe('doctor on a stage that quarantines its events', () => {
  const accepted = (hoursAgo: number) => ({
    at: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
    status: 200,
  });
  const quarantine = (reason: string) => put(target.addresses.inboundDeadLetterQueueUrl, reason);
  const quarantined = async () => (await findings('webhook')).slice(3);

  it('says so, with the reasons, if none was stored', async () => {
    attempts = [accepted(0), accepted(0), accepted(0)];
    for (const reason of ['Not a known event.', 'Too large.', 'Not a known event.']) await quarantine(reason);

    expect(await quarantined()).toEqual([
      [
        'failing',
        'In the last hour, 3 events were quarantined, and none was stored. Reasons: Not a known event (2), Too large (1).',
      ],
    ]);
    expect(await lines()).toMatch(/docs\/provider\.md.*parley dead-letters redrive inbound --local/);
    expect((await target.parley(['doctor'])).code).toBe(6);
  });

  it('warns if others were stored earlier on the same day', async () => {
    attempts = [accepted(5), accepted(0)];
    await quarantine('Not a known event.');

    expect(await quarantined()).toEqual([
      ['warning', 'In the last hour, 1 event was quarantined, and none was stored. Reasons: Not a known event (1).'],
    ]);
  });

  it('looks back a day if nothing arrived in the last hour', async () => {
    await quarantine('Not a known event.');
    attempts = [accepted(0)];
    stageNow = new Date(Date.now() + 3 * 3_600_000).toISOString();

    expect(await quarantined()).toEqual([
      ['failing', 'In the last day, 1 event was quarantined, and none was stored. Reasons: Not a known event (1).'],
    ]);
  });

  it('counts the events of a deployed stage by their metrics', async () => {
    const sums: Record<string, number> = { EventQuarantined: 7 };
    await using cloudWatch = await listenLocally(
      createServer((request, response) => {
        const name = new URL(request.url ?? '', 'http://cloudwatch').searchParams.get('MetricName') ?? '';
        response.end(`<Datapoints><member><Sum>${sums[name] ?? 0}</Sum></member></Datapoints>`);
      }),
    );
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDWATCH', cloudWatch.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { sqs, addresses } = target;
    const credentials = async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' });
    const stack = { sqs, addresses, region: 'eu-west-1', credentials, metricsNamespace: 'Parley-prod' };
    const check = () => checkQuarantine(stack, (command) => command, new Date().toISOString());
    await quarantine('Not a known event.');

    expect(await check()).toMatchObject([
      { grade: 'failing', message: expect.stringMatching(/^In the last hour, 7 events were quarantined/) },
    ]);
    sums.EventStored = 1;
    expect(await check()).toEqual([]);
  });

  it('is content if some were stored, or none is left in the quarantine', async () => {
    attempts = [accepted(0), accepted(0)];
    expect(await quarantined()).toEqual([]);

    await quarantine('Not a known event.');
    expect(await quarantined()).toEqual([]);
  });
});

describe('doctor on the contact check', () => {
  const failed = (explanation: string) =>
    [
      502,
      {
        code: 'CHAT_SERVICE_FAILED',
        message: `The contacts could not be checked. The chat service answered the contact check with ${explanation}.`,
      },
    ] as const;

  it('names the setting of its path if the service does not know it', async () => {
    checked = failed('HTTP 404 and no result');

    expect(await lines()).toContain('chatService.contactCheckPath');
  });

  it('names the setting of the format of numbers if the service rejects the business number', async () => {
    checked = failed('HTTP 422 and no result');

    expect(await lines()).toContain('chatService.numberFormat');
  });
});

describe('doctor on dead letters', () => {
  it('counts those in every queue and those in the table', async () => {
    await put(target.addresses.inboundDeadLetterQueueUrl);
    await put(target.addresses.erasureDeadLetterQueueUrl);
    await put(target.addresses.publishFailuresQueueUrl);
    await put(target.addresses.undeliveredEventsQueueUrl);
    kept = { inbound: 2, send: 1 };

    const warnings = (await findings('queues')).filter(([grade]) => grade === 'warning').map(([, message]) => message);

    expect(warnings).toEqual([
      '1 dead letter from the send queue.',
      '3 dead letters from the inbound queue.',
      '1 dead letter of erasures.',
      '1 change could not be published as an event.',
      '1 event could not be delivered to its target.',
    ]);
  });

  it('reports nothing about events in a stage that publishes none', async () => {
    await target[Symbol.asyncDispose]();
    target = await startTarget({ publishFailuresQueueUrl: undefined, undeliveredEventsQueueUrl: undefined });

    expect(await findings('queues')).toEqual([
      ['ok', 'Send queue: 0 waiting, 0 in flight.'],
      ['ok', 'Inbound queue: 0 waiting to be stored, 0 in flight.'],
    ]);
  });
});

describe('the settings', () => {
  const stage = { ...STAGE, chatServiceUrl: 'https://chat.bank.internal' };

  it.each([
    ['chatService.baseUrl', { chatServiceUrl: PLACEHOLDERS.baseUrl }, PLACEHOLDERS.baseUrl],
    ['chatPlatform', { chatPlatform: PLACEHOLDERS.chatPlatform }, PLACEHOLDERS.chatPlatform],
  ])('fail in AWS with the placeholder of %s', (setting, written, value) => {
    expect(checkSettings({ ...stage, ...written }, { isLocal: false })).toMatchObject({
      grade: 'failing',
      message: `${setting} is the placeholder ${value}.`,
    });
  });

  it('may have the placeholder of the platform in the local run', () => {
    const written = { ...stage, chatPlatform: PLACEHOLDERS.chatPlatform };

    expect(checkSettings(written, { isLocal: true })).toMatchObject({ grade: 'ok' });
  });
});
