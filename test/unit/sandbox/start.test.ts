import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HELP, readCommandLine } from '../../../sandbox/command-line.ts';
import { startTestSandbox } from '../../support/running-sandbox.ts';

describe('the arguments of npm run sandbox', () => {
  test('are all optional', () => {
    expect(readCommandLine([])).toMatchObject({
      kind: 'run',
      options: { port: 0, accessTokens: ['sandbox-token'], chatPlatform: 'chat', webhook: undefined },
    });
  });

  test('set where and how events are delivered', () => {
    const args = [
      '--webhook-url',
      'http://127.0.0.1:3000/webhook',
      '--audience',
      'a',
      '--service-account-email',
      'b@c.example',
    ];

    expect(readCommandLine([...args, '--bare'])).toMatchObject({
      options: {
        webhook: {
          url: 'http://127.0.0.1:3000/webhook',
          auth: { kind: 'pubsub-jwt', audience: 'a', serviceAccountEmail: 'b@c.example' },
          wrapped: false,
        },
      },
    });
  });

  test('allow other host names, without a port', () => {
    expect(readCommandLine(['--allow-host', 'host.docker.internal'])).toMatchObject({
      options: { allowedHosts: ['host.docker.internal'] },
    });
    expect(readCommandLine(['--allow-host', 'https://parley.tunnel.example/'])).toEqual({
      kind: 'invalid',
      sentence: '--allow-host is "https://parley.tunnel.example/" but must be a host name without a port.',
    });
  });

  test('accept several tokens and numbers', () => {
    const args = ['--access-token', 'a', '--access-token', 'b', '--chat-channel-number', '+5491100000001'];

    expect(readCommandLine(args)).toMatchObject({
      options: { accessTokens: ['a', 'b'], chatChannelNumbers: ['+5491100000001'] },
    });
  });

  test.each([
    [
      ['--auth', 'standard-webhooks', '--secret', 'whsec_c2VjcmV0'],
      { kind: 'standard-webhooks', secrets: ['whsec_c2VjcmV0'] },
    ],
    [['--auth', 'shared-token', '--token', 'abc'], { kind: 'shared-token', header: 'x-webhook-token', token: 'abc' }],
    [['--auth', 'sns'], { kind: 'sns', topicArn: 'arn:aws:sns:us-east-1:000000000000:chat-events' }],
    [['--auth', 'none'], { kind: 'none' }],
  ])('select how webhook requests are signed: %j', (args, auth) => {
    const read = readCommandLine([...args, '--webhook-url', 'http://127.0.0.1:3000/webhook']);

    expect(read).toMatchObject({ kind: 'run', options: { webhook: { auth } } });
  });

  test('set what the account may do, and where the state is stored', () => {
    expect(readCommandLine(['--pending', '--opt-in-required', '--data', 'sandbox.sqlite'])).toMatchObject({
      options: { approved: false, optInRequired: true, dataFile: 'sandbox.sqlite' },
    });
  });

  test.each(['uppercase', 'camelCase', 'v1.1'])('select the event format %s', (eventFormat) => {
    expect(readCommandLine(['--event-format', eventFormat])).toMatchObject({ options: { eventFormat } });
    expect(readCommandLine([])).toMatchObject({ options: { eventFormat: 'uppercase' } });
  });

  test('include --help, which describes the options', () => {
    expect(readCommandLine(['--help'])).toEqual({ kind: 'help' });
    expect(HELP).toContain('--service-account-email');
  });

  test.each([
    [['--prot', '1'], "Unknown option '--prot'; see --help."],
    [['4000'], "Unexpected argument '4000'; see --help."],
    [['--port', 'http'], '--port is "http" but must be a number from 0 (a free port) to 65535.'],
    [['--port', '70000'], '--port is "70000" but must be a number from 0 (a free port) to 65535.'],
    [
      ['--webhook-url', 'localhost'],
      '--webhook-url is "localhost" but must be an http or https URL such as http://127.0.0.1:3000/webhook.',
    ],
    [['--auth', 'basic'], '--auth is "basic" but must be pubsub-jwt, standard-webhooks, shared-token, sns, or none.'],
    [['--auth', 'standard-webhooks'], '--auth standard-webhooks needs --secret BASE64.'],
    [['--auth', 'standard-webhooks', '--secret', '?'], '--secret must be base64, with or without the prefix whsec_.'],
    [['--auth', 'shared-token'], '--auth shared-token needs --token TEXT, with visible ASCII characters only.'],
    [['--event-format', 'v2'], '--event-format is "v2" but must be uppercase, camelCase, or v1.1.'],
    [['--data', ''], '--data is "" but must be a non-empty string.'],
    [['--access-token', ''], '--access-token is "" but must be a non-empty string.'],
    [
      ['--chat-channel-number', '0800'],
      '--chat-channel-number is "0800" but must be a number in international format such as +5491100000000.',
    ],
  ])('fail with one sentence: %j', (args, sentence) => {
    expect(readCommandLine(args)).toEqual({ kind: 'invalid', sentence });
  });
});

describe('npm run sandbox', () => {
  test('prints its addresses and stops on a signal', async () => {
    const child = spawn(process.execPath, ['sandbox/start.ts'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = new Promise((resolve) => child.once('exit', resolve));

    const output = await new Promise<string>((resolve) => {
      let printed = '';
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        if (printed.includes('webhook  ')) resolve(printed);
      });
    });
    const keys = await fetch(/http\S+\/carrier\/certs/.exec(output)?.[0] ?? '');
    child.kill('SIGTERM');

    expect(keys.status).toBe(200);
    expect(output).toContain('sandbox-token');
    expect(await exited).toBe(0);
  });

  test('loses nothing it has answered when it is killed, if it has a data file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const args = ['sandbox/start.ts', '--data', join(folder, 'data.sqlite')];
    const start = async () => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void child.kill('SIGKILL'));
      const url = await new Promise<string>((resolve) => {
        child.stdout.on('data', (chunk) => resolve(/http:\/\/127\.0\.0\.1:\d+/.exec(String(chunk))?.[0] ?? ''));
      });
      return { child, url };
    };
    const first = await start();
    const answered: string[] = [];
    const write = async () => {
      const response = await fetch(`${first.url}/sandbox/users/%2B5491155550000/messages`, {
        method: 'POST',
        body: JSON.stringify({ text: 'Hello' }),
      });
      answered.push(Object(await response.json())._id_);
      if (answered.length === 20) first.child.kill('SIGKILL');
    };
    await Promise.allSettled(Array.from({ length: 60 }, write));

    const second = await start();
    const conversation = await fetch(`${second.url}/sandbox/users/%2B5491155550000/conversation`);

    const stored = Object(await conversation.json()).messages.map(({ id }: { id: string }) => id);
    expect(answered.length).toBeGreaterThanOrEqual(20);
    expect(stored).toEqual(expect.arrayContaining(answered));
    expect(Object(await (await fetch(`${second.url}/sandbox/state`)).json()).pending).toBe(stored.length);
  });

  test('exits with code 1 and one sentence if the port is in use', async () => {
    const { url } = await startTestSandbox();
    const { port } = new URL(url);
    const child = spawn(process.execPath, ['sandbox/start.ts', '--port', port]);
    onTestFinished(() => void child.kill('SIGKILL'));

    const [stderr, code] = await Promise.all([
      text(child.stderr),
      new Promise((resolve) => child.once('exit', resolve)),
    ]);

    expect(stderr).toBe(`Port ${port} on 127.0.0.1 is already in use; choose another port.\n`);
    expect(code).toBe(1);
  });
});
