import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunnable } from '../../../cli/program.ts';
import { type ListeningServer, listenLocally } from '../../../local/base/listen-locally.ts';
import { NOW, RETENTION_DAYS, USER } from '../../support/builders.ts';
import { type AnswerCall, type LocalTarget, startLocalTarget } from '../../support/local-target.ts';
import { createTestProgram } from '../../support/parse-command-line.ts';
import { runParley } from '../../support/run-parley.ts';

// Every string that a user or a service controls contains everything that a terminal acts on, and a line of its own.

const PAYLOAD = 'a\u001b[2J\u009b31m\u202eb\u2066\b\r\u0007\u007f\u2028\nFAKE LINE: all is well';
/** The characters that SQS accepts in a message. */
const QUEUED_PAYLOAD = [...PAYLOAD].filter((character) => !'\u001b\b\u0007'.includes(character)).join('');
const UNSAFE = /[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const consent = { at: PAYLOAD, origin: 'user', source: PAYLOAD };
const contact = {
  platformContactId: PAYLOAD,
  chatPlatform: PAYLOAD,
  name: PAYLOAD,
  window: { open: true, closesAt: PAYLOAD, lastInboundAt: PAYLOAD },
  consent: { state: 'opted-out', ...consent },
  consents: [
    { kind: 'opt-in', ...consent },
    { kind: 'opt-out', ...consent },
  ],
};
const send = {
  requestId: PAYLOAD,
  state: 'refused',
  code: PAYLOAD,
  decision: PAYLOAD,
  outcome: PAYLOAD,
  messageId: PAYLOAD,
  likelyMessage: { id: PAYLOAD, createdAt: PAYLOAD },
  endpoint: PAYLOAD,
  attempts: 2,
  unknownOutcomes: 0,
  refusedAt: NOW,
};
const message = {
  id: PAYLOAD,
  createdAt: NOW,
  direction: 'inbound',
  text: PAYLOAD,
  media: { images: [PAYLOAD], audios: [], files: [], videos: [] },
  ruleNameOrId: PAYLOAD,
  requestId: PAYLOAD,
};
const deadLetter = (queue: string) => ({
  id: PAYLOAD,
  queue,
  reason: PAYLOAD,
  groupId: PAYLOAD,
  since: NOW,
  keptAt: NOW,
});
const stage = {
  chatPlatform: PAYLOAD,
  chatChannelNumber: PAYLOAD,
  chatServiceUrl: 'http://127.0.0.1:9',
  windowMarginSeconds: 60,
  windowPer: 'user',
  retentionDays: RETENTION_DAYS,
  circuitBreaker: { state: 'open', why: PAYLOAD, openedAt: PAYLOAD, nextProbeAt: PAYLOAD },
  sending: { state: 'stopped', stoppedAt: PAYLOAD, note: PAYLOAD },
};

const answer: AnswerCall = async (method, path) => {
  const { pathname, searchParams } = new URL(path, 'http://api');
  const route = `${method} ${pathname.split('/').slice(0, 3).join('/')}`;
  const queue = searchParams.get('queue') ?? 'send';
  const answers: Readonly<Record<string, unknown>> = {
    'GET /v1/stage': stage,
    'POST /v1/forecasts': {
      at: NOW,
      forecasts: [{ contact: PAYLOAD, decision: 'refused', code: PAYLOAD, why: PAYLOAD, known: false }],
    },
    'POST /v1/sends': { requestId: PAYLOAD, state: PAYLOAD },
    'GET /v1/sends': send,
    'POST /v1/cancellations': send,
    'POST /v1/requeues': send,
    'GET /v1/erasures': {
      erasureId: PAYLOAD,
      state: 'done',
      requestedAt: PAYLOAD,
      messages: 1,
      sends: 0,
      deadLetters: 0,
      passes: 1,
    },
    'POST /v1/stops': { sending: stage.sending },
    'POST /v1/resumptions': { sending: stage.sending },
    'POST /v1/circuit-breaker-closures': { circuitBreaker: stage.circuitBreaker },
    'POST /v1/resolutions': send,
    'GET /v1/send-counts': { counts: [{ state: 'refused', code: PAYLOAD, count: 7 }] },
    'GET /v1/uncertain-sends': { sends: [send] },
    'GET /v1/channels': {
      watches: true,
      echoes: true,
      channels: [
        {
          chatPlatform: PAYLOAD,
          chatChannelNumber: PAYLOAD,
          state: 'silent',
          firstSeenAt: PAYLOAD,
          lastMessageAt: PAYLOAD,
          silentSince: PAYLOAD,
        },
      ],
    },
    'GET /v1/gaps': {
      watches: true,
      echoes: true,
      gaps: [{ messageId: PAYLOAD, firstStatusAt: PAYLOAD, contact: PAYLOAD }],
    },
    'GET /v1/conversations': { messages: [message], cursor: PAYLOAD },
    'GET /v1/contacts': contact,
    'POST /v1/opt-ins': contact,
    'POST /v1/opt-outs': contact,
    'POST /v1/contact-checks': {
      contacts: [{ contact: PAYLOAD, at: NOW, onPlatform: true, platformContactId: PAYLOAD }],
    },
    'DELETE /v1/contacts': {
      erasureId: PAYLOAD,
      state: 'done',
      requestedAt: NOW,
      messages: 1,
      sends: 0,
      deadLetters: 0,
      passes: 1,
    },
    'GET /v1/audit': {
      entries: [{ auditId: 'a-1', at: PAYLOAD, action: 'opt-in', caller: PAYLOAD, source: PAYLOAD }],
      cursor: PAYLOAD,
    },
    'POST /v1/audit': { auditId: 'a-1', at: PAYLOAD, action: 'redrive', caller: PAYLOAD },
    'POST /v1/imports': {
      at: NOW,
      results: [
        { entry: 0, result: 'stored', kind: 'message', messageId: PAYLOAD },
        { entry: 0, result: 'unreadable', reason: PAYLOAD },
      ],
    },
    'GET /v1/dead-letters': { deadLetters: [deadLetter(queue)] },
  };
  if (route === 'GET /v1/dead-letters' && pathname !== '/v1/dead-letters') {
    return [404, { code: 'DEAD_LETTER_NOT_FOUND', message: PAYLOAD }];
  }
  const found = method === 'GET' && pathname === '/v1/sends' ? { sends: [send] } : answers[route];
  return found === undefined ? [400, { code: PAYLOAD, message: PAYLOAD }] : [200, found];
};

let target: LocalTarget;
let aws: ListeningServer;

beforeAll(async () => {
  target = await startLocalTarget({}, answer);
  const item = { pk: { S: `MESSAGE#${PAYLOAD}` }, sk: { S: 'MESSAGE' }, [PAYLOAD]: { S: USER } };
  // Stands in for the tables, the schedules, and the secrets.
  aws = await listenLocally(
    createServer((request, response) => {
      request.resume();
      const operation = String(request.headers['x-amz-target'] ?? request.url);
      if (operation.endsWith('.Scan')) {
        response.end(JSON.stringify({ Items: [item], Count: 1, ScannedCount: 1 }));
      } else if (operation.endsWith('.BatchGetItem')) response.end(JSON.stringify({ Responses: { table: [item] } }));
      else if (operation.endsWith('.DescribeTable')) response.end(JSON.stringify({ Table: { ItemCount: 1 } }));
      else if (operation.startsWith('/schedule-groups')) response.end('{"ScheduleGroups":[]}');
      else response.writeHead(400).end(JSON.stringify({ __type: 'ValidationException', message: PAYLOAD }));
    }),
  );
  const file = join(target.folder, 'local.json');
  const state = JSON.parse(readFileSync(file, 'utf8'));
  for (const service of ['DYNAMODB', 'SCHEDULER', 'SECRETS_MANAGER'])
    state.env[`AWS_ENDPOINT_URL_${service}`] = aws.url;
  writeFileSync(file, JSON.stringify(state));
  writeFileSync(join(target.folder, 'rows.csv'), `phone,${JSON.stringify(PAYLOAD)}\n${USER},\n${USER},x\n`);
  const entry = {
    id: PAYLOAD,
    creationTime: NOW,
    from: 'user',
    chat: { contactId: PAYLOAD },
    content: { text: PAYLOAD },
  };
  writeFileSync(join(target.folder, 'history.json'), JSON.stringify([entry, { [PAYLOAD]: PAYLOAD }]));
  mkdirSync(join(target.folder, 'logs'));
  writeFileSync(join(target.folder, 'logs', `${PAYLOAD.replaceAll('/', '')}.log`), USER);
  writeFileSync(join(target.folder, 'numbers.txt'), `${USER}\n`);
  for (const name of ['send', 'inbound', 'schedule', 'erasure'] as const) {
    const QueueUrl = target.addresses[`${name}DeadLetterQueueUrl`];
    await target.sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: QUEUED_PAYLOAD,
        MessageAttributes: { reason: { DataType: 'String', StringValue: QUEUED_PAYLOAD } },
        ...(QueueUrl?.endsWith('.fifo') && { MessageGroupId: 'group', MessageDeduplicationId: name }),
      }),
    );
  }
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
  await aws?.close();
});

const COMMANDS: readonly (readonly [name: string, args: readonly string[]])[] = [
  ['send', [USER, '--text', 'Hi']],
  ['can-send', [USER, '--text', 'Hi']],
  ['broadcast', ['FOLDER/rows.csv', '--contact-column', 'phone', '--template', 't', '--dry-run']],
  ['broadcast', ['FOLDER/rows.csv', '--contact-column', 'phone', '--template', 't']],
  ['broadcast', ['FOLDER/rows.csv', '--contact-column', 'phone', '--template', 't', '--not-after', NOW, '--yes']],
  ['broadcast', ['FOLDER/rows.csv', '--contact-column', PAYLOAD, '--template', 't']],
  ['broadcast', [`FOLDER/${PAYLOAD}.csv`, '--text', 'Hi']],
  ['status', ['r-1']],
  ['cancel', ['r-1']],
  ['conversation', [USER]],
  ['contacts check', ['FOLDER/numbers.txt']],
  ['opt-in', [USER, '--source', 'form']],
  ['opt-out', [USER, '--source', 'form']],
  ['handover', [USER]],
  ['handback', [USER]],
  ['separate', [USER, '--customer', PAYLOAD]],
  ['contacts list', ['--customer', PAYLOAD]],
  ['erase', [PAYLOAD, '--yes']],
  ['erasure-scan', [USER]],
  ['token set', []],
  ['webhook-secret list', []],
  ['webhook-secret add', []],
  ['webhook-secret remove', [PAYLOAD, '--yes']],
  ['erasures status', [PAYLOAD]],
  ['sends requeue', [PAYLOAD]],
  ['dead-letters list', []],
  ['dead-letters show', ['inbound', PAYLOAD]],
  ['dead-letters redrive', ['schedules']],
  ['dead-letters redrive', ['send', PAYLOAD]],
  ['dead-letters delete', ['send', '--reason', 'none of them', '--yes']],
  ['check-table', ['--recheck', '0']],
  ['check-table', ['--list-laws']],
  ['audit-trail', []],
  ['sends list', ['--state', 'refused']],
  ['sends list', ['--broadcast', PAYLOAD]],
  ['sends list', []],
  ['import', ['FOLDER/history.json', '--dry-run']],
  ['import', ['FOLDER/history.json', '--yes', '--resolve']],
  ['import', [`FOLDER/${PAYLOAD}.json`]],
  ['import', ['--from-service', '--since', PAYLOAD]],
  ['sending stop', ['--note', PAYLOAD]],
  ['sending resume', []],
  ['sending status', []],
  ['sending retry-now', []],
  ['sends resolve', ['r-1', '--outcome', 'failed']],
  ['broadcast status', [PAYLOAD]],
  ['sends uncertain list', []],
  ['sends uncertain resolve', ['r-1', '--outcome', 'failed']],
  ['alarms', []],
  ['alarms test', ['--yes']],
  ['channels', []],
  ['gaps', []],
  ['doctor', []],
  ['init', ['FOLDER/app', '--platform', PAYLOAD]],
  ['pin', []],
];

const runCommand = (name: string, args: readonly string[], ...more: readonly string[]) => {
  const given = args.map((arg) => arg.replace('FOLDER', target.folder));
  return runParley([...name.split(' '), ...given, ...more], { stateFolder: target.folder, stdin: 'a-new-token' });
};

describe('the output of every command', () => {
  it('is covered by these tests', () => {
    const namesOf = (command: CommandUnknownOpts, path: string): string[] => [
      ...(isRunnable(command) ? [path] : []),
      ...command.commands.flatMap((child) => namesOf(child, `${path} ${child.name()}`.trim())),
    ];

    expect(new Set(COMMANDS.map(([name]) => name))).toEqual(new Set(namesOf(createTestProgram(), '')));
  });

  it.each(COMMANDS)('has no control characters and no line from a user: %s %j', async (name, args) => {
    const { out, err } = await runCommand(name, args);

    const lines = `${out}\n${err}`.split('\n');
    expect(lines.filter((line) => UNSAFE.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('FAKE LINE'))).toEqual([]);
    expect(lines.join('')).not.toBe('');
  });

  it.each(COMMANDS)('is as safe with --json, and parses to the same values: %s %j', async (name, args) => {
    const { out, err } = await runCommand(name, args, '--json');

    expect(`${out}${err}`).not.toMatch(UNSAFE);
    for (const line of [out, ...err.split('\n').filter((line) => line.startsWith('{'))]) {
      if (line !== '') expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  it('contains the escaped names, texts, reasons, and errors', async () => {
    const escaped = 'a\\u001b[2J\\u009b31m\\u202eb\\u2066\\b\\r\\u0007\\u007f\\u2028\\nFAKE LINE: all is well';

    expect((await runCommand('conversation', [USER])).out).toContain(`, ${escaped}\n`);
    expect((await runCommand('status', ['r-1'])).out).toContain(`decision: ${escaped}`);
    expect((await runCommand('dead-letters list', ['send'])).out).toContain(escaped);
    expect((await runCommand('doctor', [])).out).toContain(escaped);
    expect((await runCommand('erasure-scan', [USER])).out).toContain(`MESSAGE#${escaped}`);
    expect((await runCommand('check-table', ['--recheck', '0'])).out).toContain(
      `  MESSAGE#${escaped} MESSAGE: Missing: statusBodies.`,
    );
    expect((await runCommand('token set', [])).err).toContain('a\\u001b[2J');
    expect(
      (await runCommand('broadcast', ['FOLDER/rows.csv', '--contact-column', PAYLOAD, '--text', 'x'])).err,
    ).toContain(escaped);
  });

  it('parses from JSON with every character', async () => {
    const { out } = await runCommand('status', ['r-1'], '--json');

    expect(JSON.parse(out)).toMatchObject({ requestId: PAYLOAD, decision: PAYLOAD });
  });

  it('keeps the line breaks of a dead letter that is shown in full', async () => {
    const { out } = await runCommand('dead-letters list', ['inbound'], '--json');
    const [, { messageId }] = JSON.parse(out).inbound.deadLetters;

    const shown = await runCommand('dead-letters show', ['inbound', messageId]);

    expect(shown.out.split('\n').slice(-2)).toEqual([
      'a[2J\\u009b31m\\u202eb\\u2066\\r\\u007f\\u2028',
      'FAKE LINE: all is well',
    ]);
  });
});
