import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appReadme } from '../../cli/init/app-readme.ts';
import { TOKEN_HEADER } from '../../cli/init/init-options.ts';
import { scheduleName } from '../../lambdas/adapters/scheduler.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { type CommandRun, startCommandRun } from '../support/command-run.ts';
import { eventually } from '../support/eventually.ts';
import { allDelivered } from '../support/test-cloud.ts';

// The command as an operator uses it, against a whole local run. Each test has its own users and requests.

/** Rows of the broadcast that is killed and continued. The requirement is 10,000. */
const ROWS = Number(process.env.PARLEY_BROADCAST_ROWS ?? 1_000);
const ROOT = join(import.meta.dirname, '../..');

let run: CommandRun;
let cloud: CommandRun['cloud'];
let client: CommandRun['client'];

beforeAll(async () => {
  run = await startCommandRun();
  ({ cloud, client } = run);
});
afterAll(() => run?.[Symbol.asyncDispose]());

/** Runs a command line against the local run. Returns its exit code and output. */
const parley = (args: readonly string[], stdin = '') => run.parley(args, { root: ROOT, stdin });
const parleyJson = async (args: readonly string[]) => JSON.parse((await parley([...args, '--json'])).out);

const sendIn = (requestId: string, state: string) =>
  waitFor(`${requestId} is ${state}`, async () => {
    const { code, out } = await parley(['status', requestId, '--json']);
    return code === 0 && JSON.parse(out).state === state ? JSON.parse(out) : undefined;
  });
const userWithOpenWindow = async (contact: string): Promise<void> => {
  await client.userWrites(contact, { text: 'Hi' });
  await waitFor('the window opens', async () =>
    (await parley(['conversation', contact])).code === 0 ? true : undefined,
  );
};
/** Puts a message on a dead-letter queue, as another AWS service would. */
const deadLetter = async (
  QueueUrl: string,
  MessageBody: string,
  attributes: Readonly<Record<string, string>>,
  group?: string,
): Promise<void> => {
  const entries = Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]);
  const MessageAttributes = Object.fromEntries(entries);
  const fifo = group !== undefined && { MessageGroupId: group, MessageDeduplicationId: randomUUID() };
  await cloud.emulators.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes, ...fifo }));
};
const file = (name: string, text: string): string => {
  const path = join(run.folder, name);
  writeFileSync(path, text);
  return path;
};

describe('parley', () => {
  it('sends an answer unless the user has written since the message that it answers', async () => {
    const [contact, another] = ['+5491155561041', '+5491155561042'];
    await userWithOpenWindow(contact);
    await userWithOpenWindow(another);
    const latest = async (user: string) => (await parleyJson(['conversation', user])).messages[0].id;
    const answer = [contact, '--text', 'Yes.', '--automated', '--unless', 'userWroteSince', '--since'];
    const question = await latest(contact);

    const can = await parley(['can-send', ...answer, question]);
    const mistaken = await parley(['can-send', ...answer, await latest(another)]);
    const sent = await parley(['send', ...answer, question, '--request-id', 'answer-1', '--wait']);
    await client.userWrites(contact, { text: 'And another thing.' });
    const late = await eventually(async () => {
      const { code, out } = await parley(['can-send', ...answer, question]);
      return code === 4 ? out : undefined;
    });

    expect(can).toMatchObject({ code: 0, out: expect.stringContaining('would be sent as a free-form message') });
    expect(mistaken).toMatchObject({ code: 4, out: expect.stringContaining('would be refused (SINCE_UNKNOWN)') });
    expect(sent).toMatchObject({ code: 0, out: expect.stringContaining('answer-1: accepted') });
    expect(late).toContain('would be refused (SUPERSEDED)');
  });

  it.each(['send', 'can-send'])('exits with 2 if a request of %s is invalid', async (command) => {
    expect(await parley([command, '+5491155561043', '--text', 'Hi', '--not-after', 'tomorrow'])).toEqual({
      code: 2,
      out: '',
      err:
        'parley: --not-after must be an ISO 8601 time with Z or an offset, such as 2026-12-24T18:00:00Z, or a duration ' +
        'of weeks, days, hours, minutes, and seconds, such as PT10M (got "tomorrow").',
    });
  });

  it('shows a message that failed after it was accepted, wherever its send is shown', async () => {
    const contact = '+5491155560098';
    await client.control('PATCH', `/users/${encodeURIComponent(contact)}`, { failWith: '131026' });
    await userWithOpenWindow(contact);
    await client.enqueue({ requestId: 'fails', broadcastId: 'failing', platformContactId: contact, messageText: 'Hi' });
    const { code, failedAt } = await sendIn('fails', 'failed');

    expect([code, failedAt]).toEqual(['131026', expect.any(String)]);
    const outs = [
      ['status', 'fails'],
      ['sends', 'list', '--state', 'failed', '--code', '131026'],
      ['broadcast', 'status', 'failing'],
      ['conversation', contact],
    ].map(async (args) => (await parley(args)).out);
    expect(await Promise.all(outs)).toEqual([
      expect.stringContaining('fails: failed (131026)\n'),
      expect.stringContaining(`failed (131026)  fails  ${contact}\n`),
      expect.stringContaining('1  failed (131026)'),
      expect.stringContaining('business  "Hi" (fails, failed: 131026)'),
    ]);
  });

  it('shows a conversation with what users, bots, and operators send', async () => {
    const contact = '+5491155560097';
    const entries = [
      { _id: 'kind-1', location: { name: 'Plaza', latitude: -34.6, longitude: -58.4 }, from: 'user' },
      { _id: 'kind-2', message: 'Tomorrow', buttonPayload: 'slot-2', from: 'user' },
      { _id: 'kind-3', message: 'Noted', from: 'bot' },
      { _id: 'kind-4', message: 'Eva here', from: 'agent' },
      { _id: 'kind-5', message: 'Who?', from: 'somebody' },
    ];
    const common = { v: '1.1', chatPlatform: 'chat', contactId: contact };
    await client.control('POST', '/events', { ...common, type: 'message', messages: entries });
    await client.control('POST', '/events', { ...common, type: 'conversation-close' });

    const shown = await waitFor('all of it is stored', async () => {
      const [, messages] = (await parley(['conversation', contact])).out.split('\n\n');
      const lines = messages?.split('\n').map((line) => line.replace(/^\S+ +/, '')) ?? [];
      return lines.length === 6 ? lines : undefined;
    });
    expect(shown.toSorted()).toEqual([
      'bot       "Noted"',
      'operator  "Eva here"',
      'service   [conversation-close]',
      'unknown   "Who?"',
      'user      location: Plaza, -34.6, -58.4',
      'user      tapped: Tomorrow (slot-2)',
    ]);
  });

  it('sends, shows the status and its reason, and shows the conversation', async () => {
    const contact = '+5491155561001';
    await client.userWrites(contact, { text: 'Where is my parcel?' });
    await waitFor('the window opens', async () =>
      (await parley(['conversation', contact])).code === 0 ? true : undefined,
    );
    const sent = await parley(['send', contact, '--text', 'On its way', '--request-id', 'command-1']);
    const again = await parley(['send', contact, '--text', 'Another', '--request-id', 'command-1']);
    await sendIn('command-1', 'accepted');
    const status = await parley(['status', 'command-1']);
    const { contact: shown, messages } = await parleyJson(['conversation', contact]);

    expect(sent).toMatchObject({ code: 0, err: '', out: expect.stringContaining('command-1 is queued') });
    expect(again).toMatchObject({ code: 4, out: '', err: expect.stringContaining('Use a new ID for this request.') });
    expect(status.out).toMatch(
      /^command-1: accepted\n {2}decision: The user wrote at .*\n {2}outcome: .* accepted it .*\n {2}message [\w-]+ \(message\/v3\)\n/,
    );
    expect(shown).toMatchObject({ window: { open: true } });
    expect(messages.map(({ text }: { text: string }) => text)).toEqual(['On its way', 'Where is my parcel?']);
  });

  it("prints what the README of a new app expects of the first message's three commands", async () => {
    const readme = appReadme('my-app', { kind: 'shared-token', header: TOKEN_HEADER });
    const [, commands = '', expected = ''] =
      /^ {3}```sh\n((?: {3}npx --no -- parley (?:conversation|send) .*\n)+) {3}```\n.*?^ {3}```text\n(.*?)^ {3}```\n/ms.exec(
        readme,
      ) ?? [];
    const [shown = [], sent = [], shownAgain = []] = commands
      .trimEnd()
      .split('\n')
      .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''))
      .map(([, , , , ...words]) => words.filter((word) => !['--stage', 'dev'].includes(word)));
    const [, contact = ''] = shown;
    await client.userWrites(contact, { text: 'Hi' });
    await waitFor('the message is stored', async () => ((await parley(shown)).code === 0 ? true : undefined));

    const outs = [(await parley(shown)).out, (await parley(sent)).out];
    const delivered = await eventually(async () => {
      const { out } = await parley(shownAgain);
      return out.includes('delivered)') ? out : undefined;
    });

    const printed = [...outs, delivered].join('\n');
    const pattern = expected
      .trimEnd()
      .split('\n')
      .map(
        (line) =>
          `^${line
            .slice(3)
            .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
            .replaceAll('…', '.+')}$`,
      )
      .join('[^]*?');
    expect(printed).toMatch(new RegExp(pattern, 'm'));
  });

  it('finds a request whose ID contains a question mark, and no other', async () => {
    const requestId = 'what?is/this&that=1';
    await parley(['send', '+5491155561009', '--text', 'Hi', '--request-id', 'what']);
    await parley(['send', '+5491155561009', '--text', 'Hi', '--request-id', requestId]);

    expect(await parleyJson(['status', requestId])).toMatchObject({ requestId });
    expect(await parleyJson(['status', 'what'])).toMatchObject({ requestId: 'what' });
  });

  it('cancels a scheduled send and no other, and can be repeated', async () => {
    const contact = '+5491155550377';
    const sendAt = new Date(cloud.clock.now().getTime() + 3_600_000).toISOString();
    await client.userWrites(contact, { text: 'Hi' });
    await client.enqueue({ requestId: 'later', platformContactId: contact, messageText: 'Later', sendAt });
    await waitFor('the send is scheduled', async () =>
      (await client.table())['SEND#later SEND']?.state === 'scheduled' ? true : undefined,
    );

    expect(await parleyJson(['status', 'later'])).toMatchObject({ state: 'scheduled', sendAt });
    expect(await parleyJson(['cancel', 'later'])).toMatchObject({ state: 'cancelled' });
    expect(await parleyJson(['cancel', 'later'])).toMatchObject({ state: 'cancelled' });
    expect(await parley(['cancel', 'nothing-of-the-kind'])).toMatchObject({ code: expect.any(Number), out: '' });

    await client.enqueue({ requestId: 'now', platformContactId: contact, messageText: 'Now' });
    await waitFor('the other send is accepted', async () =>
      (await client.table())['SEND#now SEND']?.state === 'accepted' ? true : undefined,
    );
    expect((await parley(['cancel', 'now'])).err).toContain(
      'only a send that is queued, scheduled, or waiting can be cancelled',
    );
  });

  it('records opt-ins and opt-outs, checks numbers, and erases', async () => {
    const contact = '+5491155561002';
    await parley(['opt-in', contact, '--source', 'form']);
    const out = await parley(['opt-out', contact, '--source', 'call']);
    const checked = await parley(['contacts', 'check', '-'], `${contact}\n123456\n`);
    const refused = await parley(['erase', contact]);
    const found = await parley(['erasure-scan', contact]);
    const erased = await parley(['erase', contact, '--yes']);
    const left = await parley(['erasure-scan', contact]);

    expect(out).toMatchObject({
      code: 0,
      out: expect.stringMatching(/: opt-out at \S+ \(origin: user, source: call\)\.\nEffective consent: opted out at /),
    });
    expect(checked.out).toBe(
      `${contact}  on the platform as 5491155561002\n123456  not on the platform\nOn the platform: 1 of 2.`,
    );
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') });
    expect(erased).toMatchObject({ code: 0, out: expect.stringContaining(`${contact} is erased`) });
    expect((await parley(['conversation', contact])).code).toBe(3);
    expect(found).toMatchObject({ code: 6, out: expect.stringContaining('CONTACT#chat#*#541155561002 CONSENT') });
    expect(left).toMatchObject({ code: 0, out: expect.stringContaining('No trace found.') });
  });

  it('redrives the dead letters with a reason in order, and counts them', async () => {
    const contact = '+5491155561003';
    await userWithOpenWindow(contact);
    const ids = ['redrive-1', 'redrive-2', 'redrive-3'];
    for (const id of ids) {
      await client.putMessage(cloud.sendQueueUrl, `{"malformed":"${id}"`, { groupId: contact, id: `bad-${id}` });
    }
    await waitFor('the malformed requests are dead-lettered', async () =>
      (await client.queueDepth(cloud.sendDeadLetterQueueUrl)) === 3 ? true : undefined,
    );
    for (const requestId of ids) {
      const request = JSON.stringify({ requestId, platformContactId: contact, messageText: requestId });
      await deadLetter(cloud.sendDeadLetterQueueUrl, request, { reason: 'PROCESSING_FAILED: TimeoutError' }, contact);
    }

    const redriven = await parley(['dead-letters', 'redrive', 'send', '--reason', 'processing_failed']);
    for (const id of ids) await sendIn(id, 'accepted');

    expect(redriven).toMatchObject({ code: 0, out: '3 redriven, 3 left.' });
    const sent = (await client.outbox()).filter(({ body }) => body.platformContactId === contact);
    expect(sent.map(({ body }) => body.messageText)).toEqual(ids);
    const listed = await parleyJson(['dead-letters', 'list', 'send']);
    const malformed = { reason: expect.stringMatching(/^MALFORMED/) };
    expect(listed.send).toMatchObject({ total: 3, deadLetters: [malformed, malformed, malformed] });
    const [first] = listed.send.deadLetters;
    expect((await parley(['dead-letters', 'show', 'send', first.messageId])).out).toContain(first.body);
  });

  it('resends a send that the chat service rejected and that has no dead letter', async () => {
    const contact = '+5491155561006';
    await userWithOpenWindow(contact);
    const before = await client.queueDepth(cloud.sendDeadLetterQueueUrl);
    await parley(['send', contact, '--template', 'not_yet', '--reason', 'similar', '--request-id', 'rejected-1']);
    const { decision, outcome } = await sendIn('rejected-1', 'rejected');
    await client.putRule('not_yet', { text: 'Hello', category: 'similar' });

    const resent = await parley(['sends', 'uncertain', 'resolve', 'rejected-1', '--outcome', 'resend']);
    await sendIn('rejected-1', 'accepted');

    expect([decision, outcome]).toEqual([
      expect.stringContaining('the window is open'),
      expect.stringMatching(/^HTTP 4\d\d/),
    ]);
    expect(resent).toMatchObject({
      code: 0,
      out: expect.stringContaining('outcome: An operator resolved it as resend'),
    });
    expect(await client.queueDepth(cloud.sendDeadLetterQueueUrl)).toBe(before);
  });

  it('lists and redrives a scheduled send that EventBridge Scheduler could not queue', async () => {
    const contact = '+5491155561007';
    await userWithOpenWindow(contact);
    const sendAt = new Date(cloud.clock.now().getTime() + 120_000).toISOString();
    await client.enqueue({ requestId: 'scheduled-1', platformContactId: contact, messageText: 'Later', sendAt });
    await sendIn('scheduled-1', 'scheduled');
    cloud.emulators.schedules.remove('Parley-dev', scheduleName('scheduled-1'));
    await cloud.clock.advance(120_000);
    for (const requestId of ['scheduled-1', 'long-gone']) {
      const input = {
        QueueUrl: cloud.sendQueueUrl,
        MessageBody: JSON.stringify({ scheduledRequestId: requestId }),
        MessageGroupId: contact,
        MessageDeduplicationId: requestId,
      };
      const error = { ERROR_CODE: 'AccessDenied', ERROR_MESSAGE: 'Not authorized.' };
      await deadLetter(cloud.scheduleDeadLetterQueueUrl, JSON.stringify(input), error);
    }

    const listed = await parley(['dead-letters', 'list', 'schedules']);
    const doctor = await parley(['doctor']);
    const redriven = await parley(['dead-letters', 'redrive', 'schedules']);
    await sendIn('scheduled-1', 'accepted');

    expect(listed.out).toMatch(/^schedules: 2 dead letters\n.* AccessDenied: Not authorized\.$/m);
    expect(doctor.out).toContain('2 dead letters of schedules.');
    expect(redriven).toEqual({
      code: 0,
      out: '1 redriven, 1 deleted, 0 left.',
      err: expect.stringMatching(/^Dead letter \S+ was not redriven: long-gone is no longer stored\. Deleted\.$/),
    });
    const sent = (await client.outbox()).filter(({ body }) => body.platformContactId === contact);
    expect(sent.map(({ body }) => body.messageText)).toEqual(['Later']);
  });

  it('redrives events that could not be parsed, and leaves those that fail again', async () => {
    await client.deliverEvent({ nobody: 'knows this' });
    await allDelivered(client);
    const quarantined = await client.queueDepth(cloud.inboundDeadLetterQueueUrl);
    const redriven = await parley(['dead-letters', 'redrive', 'inbound']);
    expect(redriven).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^${quarantined} redriven, \\d left\\.$`)),
    });
    await waitFor('the event is quarantined again', async () =>
      (await client.queueDepth(cloud.inboundDeadLetterQueueUrl)) === quarantined ? true : undefined,
    );
    expect(quarantined).toBeGreaterThan(0);
  });

  it('replaces the access token from standard input', async () => {
    const { secrets } = cloud.emulators;
    const current = () => secrets.find(cloud.accessTokenSecretId)?.versions[0]?.secretString ?? '';
    const before = current();
    const set = await parley(['token', 'set'], 'another-token\n');
    const after = current();
    const again = await parley(['token', 'set'], before);

    expect([set.code, set.err, after]).toEqual([6, '', 'another-token']);
    expect(set.out).toContain('The chat service refuses it');
    expect(set.out).not.toContain('another-token');
    expect([again.code, again.err, current()]).toEqual([0, '', before]);
    expect(again.out).toContain('The chat service accepts it.');
  });

  it('judges the token that is stored now, although a running function has used another one', async () => {
    const before = cloud.emulators.secrets.find(cloud.accessTokenSecretId)?.versions[0]?.secretString ?? '';
    expect((await parley(['doctor'])).out).toContain('accepts the access token.');
    await parley(['token', 'set'], 'not-the-token\n');

    const { code, out } = await parley(['doctor']);
    await parley(['token', 'set'], before);

    expect(code).toBe(6);
    expect(out).toMatch(/^failing .*401.*\n.*parley token set/m);
  });

  it('checks the stage, and warns about dead letters', async () => {
    await client.putMessage(cloud.sendDeadLetterQueueUrl, '{', { groupId: 'x', id: 'for-the-doctor' });
    const { code, out } = await parley(['doctor']);
    const { target, findings } = await parleyJson(['doctor']);

    expect(code).toBe(0);
    for (const sentence of [
      'The management API responds and accepts your credentials.',
      'The chat service responds and accepts the access token.',
      'responds and rejects unsigned requests.',
      'from the send queue.',
      'parley dead-letters list send',
    ]) {
      expect(out).toContain(sentence);
    }
    expect(out).toMatch(/^warning {2}\d+ dead letters? from the send queue\.$/m);
    expect(out).toMatch(/\n0 failing, \d warnings? \(the local run\)\.$/);
    expect(target).toBe('the local run');
    expect(findings).toContainEqual(expect.objectContaining({ check: 'token', grade: 'ok' }));
  });
});

describe('a broadcast', () => {
  it(`of ${ROWS} rows, killed and continued from another copy of the file, sends every row once`, {
    timeout: 1_800_000,
  }, async () => {
    await client.putRule('broadcast', { text: 'Hi ${name}, row ${row}', category: 'similar' });
    await client.control('PATCH', '/account', { credit: 10 * ROWS });
    const contactOf = (row: number) => `+54911${60_000_000 + row}`;
    await optInDirectly(Array.from({ length: ROWS }, (_, index) => contactOf(index + 1)));
    const rows = Array.from(
      { length: ROWS },
      (_, index) => `${contactOf(index + 1)},"Ana, the ${index + 1}.",${index + 1}`,
    );
    const csv = file('customers.csv', `phone,name,row\n${rows.join('\n')}\n`);
    const args = [
      'broadcast',
      csv,
      '--contact-column',
      'phone',
      '--template',
      'broadcast',
      '--reason',
      'similar',
      '--yes',
      '--local',
    ];
    const accepted = async () => (await client.outbox()).filter(({ body }) => body.ruleNameOrId === 'broadcast');

    const first = startParley([...args, '--per-second', String(ROWS / 5)]);
    await eventually(async () => ((await accepted()).length > 0 ? true : undefined));
    first.child.kill('SIGKILL');
    const killed = await first.ended;
    // On another machine, from a copy that a spreadsheet saved.
    const copy = file(
      'copy.csv',
      `\ufeffphone;name;row\r\n${rows
        .toReversed()
        .join('\r\n')
        .replaceAll(/,(?! )/g, ';')}`,
    );
    const second = await startParley(args.map((arg) => (arg === csv ? copy : arg))).ended;
    await eventually(async () => ((await client.queueDepth(cloud.sendQueueUrl)) === 0 ? true : undefined));
    const third = await startParley(args).ended;
    await eventually(async () => ((await client.queueDepth(cloud.sendQueueUrl)) === 0 ? true : undefined));
    const sent = await accepted();

    expect(killed.out).toBe('');
    expect(second).toMatchObject({ code: 0, err: expect.stringContaining('Delimiter: ;') });
    expect(third).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was queued') });
    expect(sent.map(({ body }) => Number(Object(body.params).row)).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: ROWS }, (_, index) => index + 1),
    );
    if (ROWS > 1000) console.log({ rows: ROWS, peakMb: { second: second.peakMb, third: third.peakMb } });
  });
});

/** Too little for a large file or all of its requests: memory use must not grow with the file. */
const HEAP_MB = 48;

/** Runs the command in its own process, and measures its peak memory use. */
const startParley = (args: readonly string[]) => {
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, join(ROOT, 'cli/parley.ts'), ...args], {
    env: { ...process.env, PARLEY_STATE_FOLDER: run.folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '', peakMb: 0 };
  child.stdout.on('data', (chunk) => (said.out += chunk));
  child.stderr.on('data', (chunk) => (said.err += chunk));
  const timer = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    if (!existsSync(status)) return;
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8')) ?? [];
    said.peakMb = Math.max(said.peakMb, Math.round(Number(kilobytes ?? 0) / 1024));
  }, 100);
  const ended = once(child, 'close').then(([code]) => {
    clearInterval(timer);
    return { code, ...said };
  });
  return { child, ended };
};

const dynamodbAccess = () => ({
  region: cloud.env.AWS_REGION ?? '',
  endpoint: cloud.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: undefined },
});

/** Writes opt-ins by the thousand, as an import would. */
const optInDirectly = async (contacts: readonly string[]): Promise<void> => {
  const dynamodb = new DynamoDBClient(dynamodbAccess());
  for (let start = 0; start < contacts.length; start += 25) {
    const items = contacts.slice(start, start + 25).map((contact) => ({
      PutRequest: {
        Item: marshall({
          pk: `CONTACT#chat#*#54${contact.slice(4)}`,
          sk: 'CONSENT',
          importOptInAt: '2026-01-01T00:00:00.000Z',
          importOptInSource: 'list',
          importOptInRecordedAt: '2026-01-01T00:00:00.000Z',
        }),
      },
    }));
    await dynamodb.send(new BatchWriteItemCommand({ RequestItems: { [cloud.tableName]: items } }));
  }
  dynamodb.destroy();
};
