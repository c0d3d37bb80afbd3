import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CommandResult } from '../../../cli/base/command.ts';
import { CliError, EXIT } from '../../../cli/base/errors.ts';
import { withTarget } from '../../../cli/base/target.ts';
import { ManagementError } from '../../../cli/operations/management-client.ts';
import { createProgram } from '../../../cli/program.ts';
import { NOW, USER } from '../../support/builders.ts';

// What a command prints, with the answers of the management API as the test gives them.

const resultOf = async (
  args: readonly string[],
  answers: Readonly<Record<string, unknown>> = {},
  answerTo: (method: string, path: string, body: unknown) => unknown = (method, path) => answers[`${method} ${path}`],
) => {
  const results: CommandResult[] = [];
  const program = createProgram(
    {
      target: () => Promise.reject(new CliError(EXIT.usage, 'No target.')),
      api: async () => async (method, path, body) => {
        const answer = answerTo(method, path, body);
        if (answer === undefined) throw new ManagementError(404, 'CONTACT_NOT_FOUND', `${method} ${path}`);
        return answer;
      },
      commandFor: (command) => withTarget(command, program.opts()),
      report: (result) => results.push(result),
      say: () => {},
      stdin: Readable.from([USER]),
      progressTerminal: undefined,
      stop: new AbortController().signal,
    },
    { args, print: () => {} },
  );
  await program.parseAsync(args, { from: 'user' });
  return results[0];
};

describe('a command that a result names', () => {
  const queued = { 'POST /v1/sends': { requestId: 'order-17', state: 'queued' } };

  it.each([
    [['--local'], 'parley status order-17 --local'],
    [['--stage', 'prod'], 'parley status order-17 --stage prod'],
    [['--stack', 'Other', '--region', 'eu-west-1'], 'parley status order-17 --stack Other --region eu-west-1'],
    [[], 'parley status order-17'],
  ])('has the options that select the same target: %j', async (options, command) => {
    const result = await resultOf(['send', USER, '--text', 'Hi', '--request-id', 'order-17', ...options], queued);
    expect(result?.lines).toEqual([`Request order-17 is queued. Check its status: ${command}`]);
  });
});

describe('the status of an erased send', () => {
  it('shows its message without the endpoint, which is erased', async () => {
    const send = {
      requestId: 'order-17',
      state: 'accepted',
      messageId: 'm-1',
      attempts: 1,
      unknownOutcomes: 0,
      acceptedAt: NOW,
    };
    vi.useFakeTimers({ now: Date.parse(NOW) + 180_000, toFake: ['Date'] });
    const result = await resultOf(['status', 'order-17'], { 'GET /v1/sends/order-17': send });
    vi.useRealTimers();
    expect(result?.lines).toEqual(['order-17: accepted', '  message m-1', `  ${NOW}  accepted (3 minutes ago)`]);
  });
});

describe('send --wait', () => {
  const answers = (...states: readonly object[]) => {
    const left = [...states];
    return (method: string): unknown =>
      method === 'POST'
        ? { requestId: 'order-17', state: 'queued' }
        : { requestId: 'order-17', attempts: 1, unknownOutcomes: 0, ...left.shift() };
  };
  const args = ['send', USER, '--text', 'Hi', '--request-id', 'order-17', '--wait'];

  it.each([
    [{ state: 'accepted', messageId: 'm-1' }, 'order-17: accepted', 0],
    [{ state: 'refused', code: 'OPTED_OUT' }, 'order-17: refused (OPTED_OUT)', 4],
    [{ state: 'rejected' }, 'order-17: rejected', 4],
    [{ state: 'expired' }, 'order-17: expired', 4],
    [{ state: 'failed', code: '131049' }, 'order-17: failed (131049)', 4],
    [{ state: 'uncertain' }, 'order-17: uncertain', 6],
    [{ state: 'scheduled' }, 'order-17: scheduled', 0],
  ])('shows the outcome, and has its exit code: %j', async (send, line, exitCode) => {
    const result = await resultOf(args, {}, answers(send));
    expect([result?.lines[0], result?.exitCode]).toEqual([line, exitCode]);
  });

  it('lasts while the request is queued, claimed, or waiting', async () => {
    const states = [{ state: 'queued' }, { state: 'claimed' }, { state: 'waiting', decision: 'No credit.' }];
    const result = await resultOf(args, {}, answers(...states, { state: 'accepted' }));
    expect(result?.lines[0]).toBe('order-17: accepted');
  });
});

describe('a command about a contact', () => {
  const CHANNEL = 'BIZ-chat-5491100000099';
  const contact = {
    platformContactId: USER,
    chatPlatform: 'chat',
    window: { open: false },
    consent: { state: 'none' },
    consents: [],
  };
  const erasure = {
    erasureId: 'e-1',
    state: 'done',
    requestedAt: NOW,
    messages: 0,
    sends: 0,
    deadLetters: 0,
    passes: 1,
  };

  it.each<[string[], Record<string, unknown>, string[]]>([
    [['send', USER, '--text', 'Hi'], { requestId: 'r-1', state: 'queued' }, ['POST /v1/sends']],
    [
      ['conversation', USER],
      { ...contact, messages: [] },
      [`GET /v1/conversations/${encodeURIComponent(USER)}`, `GET /v1/contacts/${encodeURIComponent(USER)}`],
    ],
    [['opt-in', USER, '--source', 'form'], contact, ['POST /v1/opt-ins']],
    [['opt-out', USER, '--source', 'form'], contact, ['POST /v1/opt-outs']],
    [['handover', USER], contact, ['POST /v1/handovers']],
    [['handback', USER], contact, ['POST /v1/handbacks']],
    [['separate', USER, '--customer', 'c-1'], contact, ['POST /v1/separations']],
    [['separate', USER, '--customer', 'c-1', '--undo'], contact, ['POST /v1/separation-reversals']],
    [
      ['conversation', '--customer', 'c-1'],
      { customerId: 'c-1', chatPlatform: 'chat', contacts: [], separated: [], messages: [] },
      ['GET /v1/conversations', 'GET /v1/contacts'],
    ],
    [
      ['contacts', 'list', '--customer', 'c-1'],
      { customerId: 'c-1', chatPlatform: 'chat', contacts: [], separated: [] },
      ['GET /v1/contacts'],
    ],
    [
      ['erase', USER, '--yes'],
      { ...contact, ...erasure },
      [`GET /v1/contacts/${encodeURIComponent(USER)}`, `DELETE /v1/contacts/${encodeURIComponent(USER)}`],
    ],
    [['contacts', 'check', '-'], { contacts: [] }, ['POST /v1/contact-checks']],
  ])('names the business number in every call: %j', async (args, answer, calls) => {
    const called: string[] = [];
    const named: unknown[] = [];
    await resultOf([...args, '--channel', CHANNEL], {}, (method, path, body) => {
      // An erasure is that of every number.
      if (path.startsWith('/v1/erasures/')) return answer;
      const { pathname, searchParams } = new URL(path, 'https://management.example');
      called.push(`${method} ${pathname}`);
      named.push(Object(body).chatChannelNumber ?? searchParams.get('chatChannelNumber'));
      return answer;
    });
    expect(called).toEqual(calls);
    expect(new Set(named)).toEqual(new Set([CHANNEL]));
  });
});

describe('a consent', () => {
  const optOut = { at: NOW, origin: 'user', source: 'call' };
  const contact = {
    platformContactId: USER,
    chatPlatform: 'chat',
    window: { open: false },
    consent: { state: 'opted-out', ...optOut },
    consents: [
      { kind: 'opt-in', at: NOW, origin: 'import', source: 'list' },
      { kind: 'opt-out', ...optOut },
    ],
  };

  it('is shown with the effective one', async () => {
    const imported = await resultOf(['opt-in', USER, '--source', 'list'], { 'POST /v1/opt-ins': contact });

    expect(imported?.lines).toEqual([
      `${USER}: opt-in at ${NOW} (origin: import, source: list).`,
      `Effective consent: opted out at ${NOW} (origin: user, source: call).`,
    ]);
    const id = encodeURIComponent(USER);
    const answers = { [`GET /v1/conversations/${id}?limit=20`]: { messages: [] }, [`GET /v1/contacts/${id}`]: contact };
    const shown = await resultOf(['conversation', USER], answers);
    expect(shown?.lines).toContain(`  consent: opted out at ${NOW} (origin: user, source: call)`);
    expect(shown?.lines.join()).not.toContain('handover');
  });

  it('is shown with who answers the contact, in a stage with handovers', async () => {
    const id = encodeURIComponent(USER);
    const handedOver = { ...contact, handover: { state: 'people', since: NOW } };
    const answers = {
      [`GET /v1/conversations/${id}?limit=20`]: { messages: [] },
      [`GET /v1/contacts/${id}`]: handedOver,
    };
    const shown = await resultOf(['conversation', USER], answers);
    expect(shown?.lines).toContain(`  handover: people have been answering since ${NOW}`);
  });

  it('has the origin of the command', async () => {
    const origins: unknown[] = [];
    for (const options of [[], ['--origin', 'user'], ['--origin', 'import']]) {
      await resultOf(['opt-in', USER, '--source', 'form', ...options], {}, (_method, _path, body) => {
        origins.push(Object(body).origin);
        return contact;
      });
    }
    expect(origins).toEqual([undefined, 'user', 'import']);
  });
});

const window = { open: false };
const contactOf = (platformContactId: string, customerId?: string) => ({
  platformContactId,
  chatPlatform: 'chat',
  ...(customerId !== undefined && { customerId }),
  window,
  consent: { state: 'none' },
  consents: [],
});
const ID = 'AR.1349';
const customerOf = (...addresses: string[]) => ({
  customerId: 'c 1',
  chatPlatform: 'chat',
  contacts: addresses.map((address) => ({ ...contactOf(address, 'c 1'), linkedBy: 'message' })),
  separated: [],
});

describe('an erasure', () => {
  const path = `/v1/contacts/${encodeURIComponent(USER)}`;
  const erasure = (messages: number, sends: number, erased = path) => {
    const record = { erasureId: 'e-1', requestedAt: NOW, messages, sends, deadLetters: 0, passes: 1 };
    return {
      [`DELETE ${erased}`]: { ...record, state: 'running' },
      'GET /v1/erasures/e-1': { ...record, state: 'done' },
    };
  };
  const known = { [`GET ${path}`]: contactOf(USER) };
  const scan = `Search for what is left: parley erasure-scan ${USER}`;

  it.each([
    ['a stored contact', { ...known, ...erasure(2, 1) }, `${USER} is erased: 2 messages and 1 send (erasure e-1).`],
    ['consents alone', { ...known, ...erasure(0, 0) }, `${USER} is erased: 0 messages and 0 sends (erasure e-1).`],
    ['a user who never wrote', erasure(0, 1), `${USER} is erased: 0 messages and 1 send (erasure e-1).`],
  ])('of %s says so, and names the search for what is left', async (_case, answers, text) => {
    expect(await resultOf(['erase', USER, '--yes'], answers)).toMatchObject({ lines: [text, scan] });
  });

  it('of an unknown user says so', async () => {
    const lines = [`Nothing was stored about ${USER} (erasure e-1).`];
    expect(await resultOf(['erase', USER, '--yes'], erasure(0, 0))).toMatchObject({ lines });
  });

  it.each<[string, string[], Record<string, unknown>]>([
    ['a customer', ['--customer', 'c 1'], erasure(2, 0, '/v1/customers/-?customerId=c%201')],
    ['an address of a customer', [USER], { ...erasure(2, 0), [`GET ${path}`]: contactOf(USER, 'c 1') }],
  ])('of %s names the search for every address', async (_case, args, answers) => {
    const addresses = { 'GET /v1/contacts?customerId=c+1': customerOf(USER, ID) };
    const result = await resultOf(['erase', ...args, '--yes'], { ...answers, ...addresses });
    expect(result?.lines).toEqual([
      `${args.length === 1 ? USER : 'Customer c 1'} is erased: 2 messages and 0 sends (erasure e-1).`,
      `Search for what is left: parley erasure-scan ${USER} ${ID} --customer 'c 1'`,
    ]);
  });

  it('says what is left of a customer ID that many users share', async () => {
    const answers = erasure(1, 0);
    const started = { ...Object(answers[`DELETE ${path}`]), sharedCustomerIds: ['shared'] };
    const result = await resultOf(['erase', USER, '--yes'], { ...answers, [`DELETE ${path}`]: started });
    expect(result?.lines[1]).toBe(
      'Not erased: events that name only customer ID shared and no address, because many users share it.',
    );
    expect(result?.json).toMatchObject({ sharedCustomerIds: ['shared'], messages: 1 });
  });
});

describe('the conversation of a customer', () => {
  const message = { direction: 'inbound', createdAt: NOW, text: 'Hi' };

  it('shows every address, and each message with its address', async () => {
    const messages = [
      { id: 'm-2', platformContactId: ID, ...message },
      { id: 'm-1', ...message },
    ];
    const result = await resultOf(['conversation', '--customer', 'c 1', '--stage', 'prod'], {
      'GET /v1/conversations?customerId=c+1&limit=20': { messages, cursor: 'next' },
      'GET /v1/contacts?customerId=c+1': customerOf(USER, ID),
    });
    expect(result?.lines.filter((line) => !line.startsWith('  '))).toEqual([
      `${USER} on chat, linked by a message`,
      `${ID} on chat, linked by a message`,
      '',
      `${NOW}  ${ID}  user      "Hi"`,
      `${NOW}  no address  user      "Hi"`,
      "Next page: parley conversation --customer 'c 1' --limit 20 --cursor next --stage prod",
    ]);
  });
});

describe('a dry run of a broadcast', () => {
  it('lists the invalid rows with the reason, as a broadcast does', async () => {
    const folder = mkdtempDisposableSync(join(tmpdir(), 'parley-results-'));
    onTestFinished(() => folder.remove());
    const csv = join(folder.path, 'some.csv');
    writeFileSync(csv, 'phone,name\n+5491155562001,Ana\n,Bea\n+5491155562003,\n,Dora\n');
    const args = ['broadcast', csv, '--contact-column', 'phone', '--text', 'Hi {{name}}', '--dry-run'];
    expect(await resultOf(args)).toMatchObject({
      lines: [
        `${csv}: 4 rows, 1 contact. Encoding: utf-8. Delimiter: ,`,
        '  row 2, +5491155562001: Hi Ana',
        '3 rows are invalid:',
        '  row 3: column phone is empty',
        '  row 4: column name is empty',
        '  row 5: column phone is empty',
        expect.stringMatching(/^Without a stage, .* add --stage <name> or --local\.$/),
        '1 of 4 rows would be queued (dry run).',
      ],
      json: { rows: 4, valid: 1, invalid: { 'column phone is empty': { count: 2, rows: [3, 5] } } },
      exitCode: 6,
    });
  });
});
