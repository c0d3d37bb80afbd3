import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { REGION } from '../../../local/base/aws-environment.ts';
import { listenLocally } from '../../../local/base/listen-locally.ts';
import { choosePorts } from '../../../local/base/local-ports.ts';
import { createRunFolder, type RunFolder } from '../../../local/base/run-folder.ts';
import { eventually } from '../../support/eventually.ts';

const START = fileURLToPath(new URL('../../../local/start.ts', import.meta.url));

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
let stateFolder: RunFolder;
beforeAll(async () => {
  stateFolder = await createRunFolder();
});
afterAll(() => stateFolder.remove());

// A developer may have a run of this repository, so leave its state alone.
const environmentWith = (variables: Record<string, string>) => ({
  ...process.env,
  PARLEY_STATE_FOLDER: stateFolder.path,
  ...variables,
});

const npmStart = (args: readonly string[], environment: Record<string, string> = {}) =>
  capture(spawn(process.execPath, [START, ...args], { env: environmentWith(environment) }));

const capture = (runner: ChildProcessWithoutNullStreams) => {
  const output = { out: '', err: '' };
  runner.stdout.on('data', (chunk: Buffer) => {
    output.out += chunk.toString();
  });
  runner.stderr.on('data', (chunk: Buffer) => {
    output.err += chunk.toString();
  });
  return { runner, output, ended: once(runner, 'close') };
};

/** Returns every process that a process started, directly or indirectly. */
const descendants = (root: number): readonly number[] => {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n');
  const children = (parent: number): number[] =>
    rows.flatMap((row) => {
      const [pid, ppid] = row.trim().split(/\s+/).map(Number);
      return ppid === parent && pid !== undefined ? [pid, ...children(pid)] : [];
    });
  return children(root);
};

const alive = (pids: readonly number[]): readonly number[] =>
  pids.filter((pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  });

/** What local.json says, as far as the tests use it. */
interface RunState {
  readonly eventsQueueUrl: string;
}

/** Runs until the addresses are printed, then sends a signal and waits until every process and folder is gone. */
const run = async (signal: NodeJS.Signals, start = () => npmStart([])) => {
  const { runner, output, ended } = start();
  await eventually(() => (output.out.includes('send-message') || runner.exitCode !== null ? true : undefined));
  const webhook = /Webhook +(http:\S+)/.exec(output.out)?.[1] ?? '';
  const state: RunState = JSON.parse(readFileSync(join(stateFolder.path, 'local.json'), 'utf8'));
  const unsigned = await fetch(webhook, { method: 'POST', body: '{}' });
  const before = descendants(pidOf(runner));
  const folders = runFolders(before);
  runner.kill(signal);
  const [code] = await ended;
  await eventually(() => (alive(before).length === 0 ? true : undefined));
  await eventually(() => (folders.some(existsSync) ? undefined : true));
  return { output, code, status: unsigned.status, state, started: before.length, folders };
};

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('The runner did not start.');
  return pid;
};

/** Returns the command lines of processes, without those that have ended. */
const commandsOf = (pids: readonly number[]): string =>
  spawnSync('ps', ['-o', 'args=', '-p', pids.join(',')]).stdout.toString();

/** Returns the folders of a run, read from the command lines of its processes. */
const runFolders = (pids: readonly number[]): readonly string[] => {
  return [...new Set(commandsOf(pids).match(/\/\S*\/parley-\w{6}(?=[\s/])/g))].filter(
    (folder) => folder !== stateFolder.path,
  );
};

describe('npm start', () => {
  it('runs the stack until SIGTERM, and leaves no process and no folder behind', async () => {
    const { output, code, status, state, started, folders } = await run('SIGTERM');

    expect(output.err).toBe('');
    expect(output.out.split('\n').slice(0, 5)).toEqual([
      'Starting Parley:',
      '  Starting the emulators...',
      expect.stringMatching(/^ {2}(?:Synthesizing the app|Using the app as synthesized before, [^\n]+)\.\.\.$/),
      '  Creating the resources of Parley-dev and starting its functions...',
      '  Connecting the sandbox of the chat service...',
    ]);
    expect(output.out).toContain('npm run parley -- send +5491150000001 --text Hello --wait --local');
    expect(output.out).toContain(
      `aws sqs receive-message --queue-url ${state.eventsQueueUrl} --max-number-of-messages 10`,
    );
    expect([status, code]).toEqual([401, 0]);
    expect(state).toEqual({
      webhookUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/webhook$/),
      managementUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      chatServiceUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      consoleUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      sendQueueUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/000000000000\/[\w-]+\.fifo$/),
      sendDeadLetterQueueUrl: expect.stringMatching(/\.fifo$/),
      scheduleDeadLetterQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      inboundQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      inboundDeadLetterQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      erasureQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      erasureDeadLetterQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      publishFailuresQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      tableName: expect.any(String),
      eventBusName: 'Parley-dev',
      eventsQueueUrl: expect.stringMatching(/\/000000000000\/Parley-dev-events$/),
      processId: expect.any(Number),
      accessTokenSecretId: expect.stringMatching(/^arn:aws:secretsmanager:/),
      env: expect.objectContaining({ AWS_REGION: REGION, AWS_ENDPOINT_URL_SQS: expect.any(String) }),
    });
    expect(existsSync(join(stateFolder.path, 'local.json'))).toBe(false);
    // The DynamoDB emulator and its guard, and a process of the invoked function.
    expect(started).toBeGreaterThanOrEqual(3);
    expect(folders).toHaveLength(1);
  });

  it('ends with npm, even though the shell in between does not pass on the signal', async () => {
    const npm = () => capture(spawn('npm', ['start', '--silent'], { cwd: ROOT, env: environmentWith({}) }));

    const { started, folders } = await run('SIGTERM', npm);

    expect(started).toBeGreaterThanOrEqual(4);
    expect(folders).toHaveLength(1);
  });

  it('leaves no process and no folder behind when it is killed, and gets the same addresses when it starts again', async () => {
    const { ports } = await choosePorts();
    const start = () => npmStart(['--port', String(ports.console)]);

    const killed = await run('SIGKILL', start);
    const again = await run('SIGTERM', start);

    expect(killed.started).toBeGreaterThanOrEqual(4);
    expect(killed.folders).toHaveLength(1);
    expect({ ...again.state, processId: 0 }).toEqual({ ...killed.state, processId: 0 });
    expect(again.state).toMatchObject({
      chatServiceUrl: `http://127.0.0.1:${ports.console}`,
      webhookUrl: `http://127.0.0.1:${ports.webhook}/webhook`,
      managementUrl: `http://127.0.0.1:${ports.managementApi}`,
      sendQueueUrl: expect.stringContaining(`http://127.0.0.1:${ports.queues}/`),
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'says what %s interrupted while it starts, and leaves no process and no folder behind',
    async (signal, code) => {
      // Of its own, so that no earlier test has kept a synthesized app in it.
      const own = { PARLEY_STATE_FOLDER: join(stateFolder.path, signal) };
      const { runner, output, ended } = npmStart([], own);
      const synthesis = await eventually(() => {
        const pids = output.out.includes('Synthesizing') ? descendants(pidOf(runner)) : [];
        return commandsOf(pids).includes('bin/parley.ts') ? pids : undefined;
      });

      runner.kill(signal);
      await ended;

      expect(output.err).toBe('Interrupted while synthesizing the app. Nothing is left running.\n');
      expect(runner.exitCode).toBe(code);
      expect(output.out).toBe('Starting Parley:\n  Starting the emulators...\n  Synthesizing the app...\n');
      await eventually(() => (alive(synthesis).length === 0 ? true : undefined));
    },
  );

  it('prints one sentence when its port is taken', async () => {
    const taken = await listenLocally(createServer());

    const { runner, output, ended } = npmStart(['--port', String(taken.port)]);
    await ended;

    await taken.close();
    expect(output.err).toMatch(new RegExp(`^Port ${taken.port} on 127\\.0\\.0\\.1 is already in use; [^\\n]+\\n$`));
    expect([runner.exitCode, output.out]).toEqual([1, '']);
  });

  it('does not start in the folder of a run that is active, and leaves its file and its logs alone', async () => {
    const log = join(stateFolder.path, 'logs', 'function.log');
    const state = join(stateFolder.path, 'local.json');
    const active = await listenLocally(createServer((_, response) => response.end()));
    onTestFinished(() => active.close());
    onTestFinished(() => rmSync(state));
    const run = { processId: process.pid, webhookUrl: `${active.url}/webhook`, consoleUrl: 'http://127.0.0.1:4760/' };
    const written = JSON.stringify(run);
    mkdirSync(join(stateFolder.path, 'logs'), { recursive: true });
    writeFileSync(log, 'of the active run');
    writeFileSync(state, written);

    const { runner, output, ended } = npmStart([]);
    await ended;

    expect(output.err).toMatch(
      /^Another run uses [^\n]+: its console is http:\/\/127\.0\.0\.1:4760\/\. Stop it, or set PARLEY_STATE_FOLDER to another folder\.\n$/,
    );
    expect([runner.exitCode, output.out]).toEqual([1, '']);
    expect([readFileSync(state, 'utf8'), readFileSync(log, 'utf8')]).toEqual([written, 'of the active run']);
  });

  it.each([
    [['--color'], 'Unknown option \'--color\'. Run "npm start -- --help" for usage.'],
    [['--chat-service-url', 'nowhere'], '--chat-service-url is "nowhere" but must be a URL'],
  ])('rejects %j with one sentence', async (args, sentence) => {
    const { runner, output, ended } = npmStart(args);
    await ended;

    expect(output.err).toContain(sentence);
    expect(output.err.trim().split('\n')).toHaveLength(1);
    expect(runner.exitCode).toBe(1);
  });

  it('stops the emulators that have started when another one cannot', async () => {
    const { runner, output, ended } = npmStart([], { DYNOXIDE_BIN: '/nowhere/dynoxide' });
    onTestFinished(() => void runner.kill('SIGKILL'));
    const seen = new Set<number>();
    while (runner.exitCode === null) {
      for (const pid of descendants(pidOf(runner))) seen.add(pid);
      await pause(50);
    }
    await ended;

    expect(output.err).toMatch(/^DYNOXIDE_BIN is \/nowhere\/dynoxide, which does not exist [^\n]+\n$/);
    expect(runner.exitCode).toBe(1);
    expect(output.out).toMatch(
      /^Starting Parley:\n {2}Starting the emulators\.\.\.\n(?: {2}(?:Synthesizing|Using) the app[^\n]*\n)?$/,
    );
    // At least the SQS emulator.
    expect(seen.size).toBeGreaterThanOrEqual(1);
    await eventually(() => (alive([...seen]).length === 0 ? true : undefined));
  });

  it('prints its usage', async () => {
    const { runner, output, ended } = npmStart(['--help']);
    await ended;

    expect(output.out).toContain('--chat-service-url');
    expect([runner.exitCode, output.err]).toEqual([0, '']);
  });
});
