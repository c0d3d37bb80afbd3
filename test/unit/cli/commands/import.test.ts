import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../lambdas/domain/contact.ts';
import { addMs } from '../../../../lambdas/domain/instant.ts';
import { NOW, sendRequest, USER, wireMessage } from '../../../support/builders.ts';
import { type AnswerCall, type LocalTarget, startLocalTarget } from '../../../support/local-target.ts';
import { runParley } from '../../../support/run-parley.ts';
import { putSendInState } from '../../../support/send-states.ts';
import { testTables } from '../../../support/test-tables.ts';
import { createManagedStage, type ManagedStage } from '../../lambdas/manage/managed-stage.ts';

const ago = (hours: number) => addMs(NOW, -hours * 60 * 60 * 1000);
const contact = contactRef('chat', USER);

const tables = testTables();
let stage: ManagedStage;
let target: LocalTarget;
let calls: string[];
let faults: (readonly [status: number, body: unknown])[];
let denied: string[];
let onImport: () => void;
let file: string;
let files = 0;

const answer: AnswerCall = async (method, path, sent) => {
  calls.push(`${method} ${path}`);
  if (path === '/v1/stage') return [200, (await stage.call('getStage')).body];
  if (path.startsWith('/v1/sends?')) {
    return [200, (await stage.call('listSends', { query: { state: 'uncertain' } })).body];
  }
  if (path.startsWith('/v1/sends/')) {
    return [200, (await stage.call('getSend', { id: decodeURIComponent(path.slice(10)) })).body];
  }
  if (path === '/v1/resolutions') return [200, (await stage.call('resolveSend', { body: sent })).body];
  const fault = faults.shift();
  if (fault !== undefined) return fault;
  if (denied.some((each) => path.startsWith(each))) return [403, { message: 'Forbidden' }];
  if (path === '/v1/channels') return [200, (await stage.call('listChannels')).body];
  if (path.startsWith('/v1/conversations/')) {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const id = decodeURIComponent(pathname.slice('/v1/conversations/'.length));
    const { status, body } = await stage.call('getConversation', { id, query: Object.fromEntries(searchParams) });
    return [status, body];
  }
  const answered = await stage.call('importEvents', { body: sent }).catch(() => undefined);
  if (answered === undefined) return [400, { code: 'INTERNAL', message: 'The table is away.' }];
  const { status, body } = answered;
  if (!sent.includes('"dryRun":true')) onImport();
  return [status, body];
};

beforeAll(async () => {
  target = await startLocalTarget({}, (...call) => answer(...call));
});
afterAll(async () => {
  await target?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  stage = await createManagedStage(tables);
  calls = [];
  faults = [];
  denied = [];
  onImport = () => undefined;
  files += 1;
  file = join(target.folder, `history-${files}.json`);
});

const v2 = (number: number, changes: Record<string, unknown> = {}) => ({
  id: `history-${number}`,
  creationTime: addMs(ago(10), number),
  from: 'user',
  chat: { chatId: 'CUST0000000000000001', contactId: USER },
  content: { type: 'text', text: `Message ${number}` },
  ...changes,
});
const v2Messages = (count: number) => Array.from({ length: count }, (_, index) => v2(index));
const lines = (entries: readonly unknown[]) => entries.map((entry) => JSON.stringify(entry)).join('\n');
const write = (text: string) => writeFileSync(file, text);
const imported = async () =>
  (await stage.messages.readConversation([{ subject: contact }], { limit: 500 })).messages.length;
const importFile = (...options: string[]) => target.parley(['import', file, ...options]);
const onTerminal = (typed: string) => {
  const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
  return runParley(['import', file], { stateFolder: target.folder, stdin });
};

describe('parley import', () => {
  it.each([
    ['a page of GET /messages', JSON.stringify({ items: v2Messages(3), nextPage: null })],
    ['pages, one per line', lines([{ items: v2Messages(2), nextPage: 'x' }, { items: [v2(2)] }])],
    ['an array of pages', JSON.stringify([{ items: v2Messages(2) }, { items: [v2(2)] }], null, 2)],
    ['an array of messages', JSON.stringify(v2Messages(3))],
    ['a message per line', `\uFEFF${lines(v2Messages(3)).replaceAll('\n', '\r\n\r\n')}\r\n`],
    [
      'the answer of message/download',
      JSON.stringify({
        hasMore: false,
        count: 3,
        messages: [0, 1, 2].map((number) => ({
          _id_: `history-${number}`,
          msg_from: USER,
          msg_to: 'me',
          message: 'Hi',
          creation_time: ago(number + 1),
        })),
      }),
    ],
    [
      'recorded posts of the webhook',
      lines([0, 1, 2].map((number) => wireMessage({ _id_: `history-${number}`, CREATION_TIME: ago(number + 1) }))),
    ],
  ])('imports %s', async (_name, text) => {
    write(text);

    const { code, out, err } = await importFile('--yes');

    expect(err).toContain('3 readable entries about 1 user, with 3 messages of users.');
    expect(err).toContain('3 missing, 0 stored already, 0 unreadable.');
    expect(out).toBe(`${file}: 3 stored, 0 stored already, 0 unreadable.`);
    expect(code).toBe(0);
    expect(await imported()).toBe(3);
    expect(existsSync(`${file}.local.import.json`)).toBe(false);
  });

  it('says first what it would do, and asks', async () => {
    write(lines([v2(0), v2(1, { from: 'bot' }), v2(1, { from: 'bot' })]));

    const refused = await onTerminal('n\n');

    expect(refused.err.split('\n')).toEqual([
      `${file}: 2 readable entries about 1 user, with 1 message of users, 1 message of the business.`,
      expect.stringMatching(/^From 2026-\S+ \(.*\) to 2026-\S+ \(.*\)\.$/),
      '1 entry repeats another one.',
      expect.stringMatching(/^2 of 2 entries/),
      '2 missing, 0 stored already, 0 unreadable.',
      'Import 2 events into the local run? [y/N]',
      'parley: Nothing was imported.',
    ]);
    expect(refused.code).toBe(130);
    expect(await imported()).toBe(0);
    expect((await onTerminal('y\n')).code).toBe(0);
    expect(await imported()).toBe(2);
  });

  it('writes nothing with --dry-run', async () => {
    write(lines(v2Messages(2)));

    expect(await importFile('--dry-run')).toMatchObject({
      code: 0,
      out: `${file}: 2 would be stored, 0 stored already, 0 unreadable (dry run).`,
    });
    expect(await stage.items()).toEqual({});
  });

  it('says that no event is missing, and completes what is stored of them', async () => {
    write(lines(v2Messages(2)));
    await importFile('--yes');
    const refused = await onTerminal('n\n');
    const complete = await importFile('--yes');

    expect(refused.err).toContain(
      'No event is missing. Store missing windows and consents of 2 events in the local run?',
    );
    expect(complete).toMatchObject({
      code: 0,
      out: `${file}: 0 stored, 2 stored already, 0 unreadable.\nNo event is missing.`,
    });
  });

  it.each([[], ['--state']])('completes what a failed call left, %s', async (...options: string[]) => {
    const { openWindow } = stage.contacts;
    stage.ports.contacts.openWindow = () => Promise.reject(new Error('The table is away.'));
    write(lines(v2Messages(2)));

    expect((await importFile('--yes')).code).not.toBe(0);
    expect([await imported(), await stage.contacts.read(contact, NOW)]).toEqual([2, undefined]);

    stage.ports.contacts.openWindow = openWindow;
    // A state elsewhere is none, as for standard input.
    const state = options.length > 0 ? ['--state', join(target.folder, `other-${files}.json`)] : [];
    expect((await importFile('--yes', ...state)).code).toBe(0);
    expect((await stage.contacts.read(contact, NOW))?.lastInboundAt).toBe(addMs(ago(10), 1));
  });

  it('imports the others if some lines are unreadable, and lists these by their numbers', async () => {
    write(`${lines([v2(0)])}\n{"id": \n\n"text"\n${lines([v2(1, { creationTime: undefined }), v2(2)])}`);

    const { code, out } = await importFile('--yes');

    expect(code).toBe(6);
    expect(out.split('\n')).toEqual([
      `${file}: 2 stored, 0 stored already, 3 unreadable.`,
      '  1: It is not JSON. (line 2)',
      '  1: It is not a JSON object. (line 4)',
      expect.stringMatching(/^ {2}1: Not a known event: .* \(line 5\)$/),
    ]);
    expect(await imported()).toBe(2);
  });

  it('prints JSON', async () => {
    write(lines([v2(0)]));

    expect(JSON.parse((await importFile('--yes', '--json')).out)).toMatchObject({
      dryRun: false,
      stored: 1,
      existing: 0,
      unreadable: {},
      events: { message: 1, echo: 0, status: 0, unknown: 0 },
      users: 1,
    });
  });

  it('accepts only the format that --format names', async () => {
    write(lines([v2(0), wireMessage({ CREATION_TIME: ago(1) })]));

    const { code, out } = await importFile('--yes', '--format', 'webhook');

    expect(code).toBe(6);
    expect(out).toContain('1: It is not in the format webhook. (line 1)');
    expect(await imported()).toBe(1);
  });

  it('reads standard input only with --yes or --dry-run', async () => {
    const piped = (...options: string[]) =>
      runParley(['import', '-', ...options], { stateFolder: target.folder, stdin: lines(v2Messages(2)) });

    expect(await piped()).toMatchObject({ code: 2, err: expect.stringContaining('add --yes or --dry-run') });
    expect((await piped('--yes')).out).toBe('The standard input: 2 stored, 0 stored already, 0 unreadable.');
  });
});

describe('a warning before the import', () => {
  const warningsOf = ({ err }: { readonly err: string }) =>
    err.split('\n').filter((text) => text.startsWith('Warning: '));
  const ofChannel = (number: number, channelId: string) =>
    v2(number, { chat: { contactId: USER, channelId: `acme-whatsapp-${channelId}` } });

  it('names business numbers that are not of the stage', async () => {
    write(lines([ofChannel(0, '5491199999999'), ofChannel(1, '5491188888888')]));
    await stage.channels.register({ platform: 'whatsapp', line: '5491188888888' }, ago(1));

    const { err, out } = await importFile('--dry-run', '--json');

    expect(err).toContain('Business numbers: +5491199999999, +5491188888888.');
    expect(warningsOf({ err })).toEqual([
      expect.stringMatching(
        /^Warning: the history has messages of \+5491199999999, but the number of the local run is /,
      ),
    ]);
    expect(JSON.parse(out).chatChannelNumbers).toHaveLength(2);
  });

  it('says that the history may have the same messages under other IDs', async () => {
    await stage.receive(wireMessage({ _id_: 'wire-1', CREATION_TIME: addMs(ago(10), 1) }));
    write(lines(v2Messages(3)));

    const first = await importFile('--yes');

    expect(warningsOf(first)).toEqual([expect.stringContaining(`such as wire-1 of ${addMs(ago(10), 1)}.`)]);
    expect(warningsOf(await importFile('--yes'))).toEqual([]);
  });

  it('says that events wait on the inbound queue', async () => {
    write(lines(v2Messages(1)));
    const QueueUrl = target.addresses.inboundQueueUrl;
    await target.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));

    const waiting = await importFile('--dry-run');
    await target.sqs.send(new PurgeQueueCommand({ QueueUrl }));

    expect(warningsOf(waiting)).toEqual([expect.stringContaining('1 request waits on the inbound queue.')]);
    expect(warningsOf(await importFile('--dry-run'))).toEqual([]);
  });

  it('is left out if what it needs cannot be read', async () => {
    write(lines([ofChannel(0, '5491199999999')]));
    denied = ['/v1/channels', '/v1/conversations/'];

    expect(await importFile('--yes')).toMatchObject({ code: 0 });
  });
});

describe('the uncertain sends', () => {
  const { messageText: text } = sendRequest();
  const echo = (number: number, changes: Record<string, unknown> = {}) =>
    v2(number, { from: 'bot', creationTime: addMs(NOW, -1_000), content: { type: 'text', text }, ...changes });

  beforeEach(() => putSendInState(stage.sends, 'uncertain'));

  it('of which the history has the message are listed, with the command that resolves them', async () => {
    write(lines([echo(0), v2(1)]));

    const { code, out } = await importFile('--yes');

    expect(code).toBe(0);
    expect(out.split('\n').at(-1)).toBe(
      `request-1 is uncertain, and probably message history-0 of ${addMs(NOW, -1_000)}. To resolve it: parley sends ` +
        'resolve request-1 --outcome accepted --message-id history-0 --local',
    );
    expect((await stage.sends.read('request-1'))?.state).toBe('uncertain');
  });

  it('are resolved with --resolve, which the audit trail names, also if nothing is missing', async () => {
    write(lines([echo(0)]));
    await importFile('--yes');

    const { out } = await importFile('--yes', '--resolve');

    expect(out).toContain('request-1 was uncertain, and is now accepted: it is message history-0 of');
    expect(await stage.sends.read('request-1')).toMatchObject({ state: 'accepted', messageId: 'history-0' });
    expect((await stage.audit.list({}, { limit: 10 })).entries).toContainEqual(
      expect.objectContaining({
        action: 'resolution',
        details: expect.objectContaining({ requestId: 'request-1', messageId: 'history-0' }),
      }),
    );
  });

  it.each([
    ['two messages match', () => [echo(0), echo(1)], ['request-1']],
    ['two sends match a message', () => [echo(0)], ['request-1', 'request-2']],
    ['no message matches', () => [echo(0, { content: { type: 'text', text: 'Hi' } })], ['request-1']],
  ])('stay uncertain with --resolve if %s', async (_name, entries, requestIds) => {
    for (const requestId of requestIds) await putSendInState(stage.sends, 'uncertain', { requestId });
    write(lines(entries()));

    expect((await importFile('--yes', '--resolve')).out).not.toContain('uncertain');
    for (const requestId of requestIds) expect((await stage.sends.read(requestId))?.state).toBe('uncertain');
  });

  it('are not looked up in a dry run', async () => {
    write(lines([echo(0)]));

    await importFile('--dry-run', '--resolve');

    expect(calls.filter((call) => call.includes('/v1/sends'))).toEqual([]);
  });
});

describe('an interrupted import', () => {
  it('says how far it is, and continues there', async () => {
    write(lines(v2Messages(250)));
    const stop = new AbortController();
    onImport = () => stop.abort();

    const interrupted = await target.parley(['import', file, '--yes'], stop.signal);

    expect(interrupted.code).toBe(130);
    expect(interrupted.err).toContain(
      `Interrupted after 100 of 250 readable entries. To continue, run parley import ${file} --local.`,
    );
    expect(await imported()).toBe(100);
    onImport = () => undefined;
    calls = [];
    const continued = await importFile('--yes');
    expect(continued.err).toContain('Resuming: 100 of 250 entries (40%) were processed earlier.');
    expect(continued.out).toBe(`${file}: 250 stored, 0 stored already, 0 unreadable.`);
    expect(calls.filter((call) => call === 'POST /v1/imports')).toHaveLength(3 + 2);
    expect(await imported()).toBe(250);
  });

  it('starts over without its state, or with that of another file, and stores nothing twice', async () => {
    write(lines(v2Messages(150)));
    const stop = new AbortController();
    onImport = () => stop.abort();
    const state = join(target.folder, `state-${files}.json`);
    await target.parley(['import', file, '--yes', '--state', state], stop.signal);
    onImport = () => undefined;
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ chunks: 1, entries: 100, added: 100 });

    write(lines(v2Messages(151)));
    expect((await importFile('--yes', '--state', state)).out).toContain('51 stored, 100 stored already');
    expect(await imported()).toBe(151);
    rmSync(state, { force: true });
  });

  it('repeats a call that fails for the moment', async () => {
    write(lines([v2(0)]));
    faults = [[500, { code: 'INTERNAL', message: 'Retry it.' }]];

    expect((await importFile('--yes')).code).toBe(0);
  });

  it('refuses a damaged state file', async () => {
    write(lines([v2(0)]));
    writeFileSync(`${file}.local.import.json`, '{');

    expect(await importFile('--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a state file of an import. Delete it'),
    });
  });
});

describe('--from-service', () => {
  it('needs --since, and no file', async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();

    expect(await target.parley(['import', '--from-service'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('add --since'),
    });
    for (const args of [['import'], ['import', file, '--from-service']]) {
      expect(await target.parley(args)).toMatchObject({
        code: 2,
        err: expect.stringContaining('Provide either a file or --from-service.'),
      });
    }
    expect(await importFile('--since', since)).toMatchObject({ code: 2, err: expect.stringContaining('needs --from') });
  });
});

describe('a file is refused, and nothing is imported', () => {
  it.each([
    ['that is empty', ' \n', 'is empty. Provide the chat service'],
    ['that is no JSON', 'id,text\n1,Hi\n', 'is neither JSON nor JSON Lines'],
    ['that is truncated', JSON.stringify({ items: v2Messages(2) }, null, 2).slice(0, -9), 'is neither JSON nor'],
    ['with an empty page', '{"hasMore":false,"messages":[],"count":0}', 'has no entries'],
    ['of another format', '{"text":"Hi"}', 'has no readable entry'],
  ])('%s', async (_name, text, sentence) => {
    write(text);

    expect(await importFile('--yes')).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
    expect(await stage.items()).toEqual({});
  });

  it('that does not exist, or is not UTF-8', async () => {
    expect(await importFile('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('does not exist') });
    writeFileSync(file, Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff]));
    expect(await importFile('--yes')).toMatchObject({ code: 2, err: expect.stringContaining('is not UTF-8 text') });
  });
});
