import { type ChildProcess, type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REGION } from '../../../local/aws-variables.ts';
import { createRunFolder, type RunFolder } from '../../../local/emulators/memory-folder.ts';
import { listenLocally } from '../../../local/listen-locally.ts';
import { eventually } from '../../support/eventually.ts';

const START = fileURLToPath(new URL('../../../local/start.ts', import.meta.url));

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
let state: RunFolder;
beforeAll(async () => {
  state = await createRunFolder();
});
afterAll(() => state.remove());

// The repository's own state may be that of a run that somebody works with.
const environmentWith = (variables: Record<string, string>) => ({
  ...process.env,
  PARLEY_STATE_FOLDER: state.path,
  ...variables,
});

const npmStart = (args: readonly string[], environment: Record<string, string> = {}) =>
  listenTo(spawn(process.execPath, [START, ...args], { env: environmentWith(environment) }));

const listenTo = (runner: ChildProcessWithoutNullStreams) => {
  const said = { out: '', err: '' };
  runner.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  runner.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  return { runner, said, ended: once(runner, 'close') };
};

/** Every process that this one started, itself or through others. */
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

const run = async (ending: NodeJS.Signals, start = () => npmStart([])) => {
  const { runner, said, ended } = start();
  await eventually(() => (said.out.includes('send-message') || runner.exitCode !== null ? true : undefined));
  const webhook = /webhook +(http:\S+)/.exec(said.out)?.[1] ?? '';
  const told: unknown = JSON.parse(readFileSync(join(state.path, 'local.json'), 'utf8'));
  const unsigned = await fetch(webhook, { method: 'POST', body: '{}' });
  const before = descendants(pidOf(runner));
  const folders = runFolders(before);
  runner.kill(ending);
  const [code] = await ended;
  await eventually(() => (alive(before).length === 0 ? true : undefined));
  await eventually(() => (folders.some(existsSync) ? undefined : true));
  return { said, code, status: unsigned.status, told, started: before.length, folders };
};

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('The runner did not start.');
  return pid;
};

/** The folders of a run, told by the command lines of its processes. */
const runFolders = (pids: readonly number[]): readonly string[] => {
  const commands = execFileSync('ps', ['-o', 'args=', '-p', pids.join(',')]).toString();
  return [...new Set(commands.match(/\/\S*\/parley-\w{6}(?=[\s/])/g))].filter((folder) => folder !== state.path);
};

describe('npm start', () => {
  it('runs the stack until it is asked to end, and leaves no process and no folder', async () => {
    const { said, code, status, told, started, folders } = await run('SIGTERM');

    expect(said.err).toBe('');
    expect([status, code]).toEqual([401, 0]);
    expect(told).toEqual({
      webhookUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/webhook$/),
      managementUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      chatServiceUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      consoleUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      sendQueueUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/000000000000\/[\w-]+\.fifo$/),
      sendDeadLetterQueueUrl: expect.stringMatching(/\.fifo$/),
      inboundQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      inboundDeadLetterQueueUrl: expect.stringMatching(/\/000000000000\/[\w-]+$/),
      tableName: expect.any(String),
      eventBusName: 'Parley-dev',
      accessTokenSecretId: expect.stringMatching(/^arn:aws:secretsmanager:/),
      env: expect.objectContaining({ AWS_REGION: REGION, AWS_ENDPOINT_URL_SQS: expect.any(String) }),
    });
    expect(existsSync(join(state.path, 'local.json'))).toBe(false);
    // The guard and its DynamoDB emulator, the SQS emulator, a process of the function that was called.
    expect(started).toBeGreaterThanOrEqual(4);
    expect(folders).toHaveLength(1);
  });

  it('ends when npm does, also where the shell between does not pass the signal on', async () => {
    const npm = () => listenTo(spawn('npm', ['start', '--silent'], { cwd: ROOT, env: environmentWith({}) }));

    const { started, folders } = await run('SIGTERM', npm);

    expect(started).toBeGreaterThanOrEqual(4);
    expect(folders).toHaveLength(1);
  });

  it('leaves no process and no folder when it is killed, either', async () => {
    const { started, folders } = await run('SIGKILL');

    expect(started).toBeGreaterThanOrEqual(4);
    expect(folders).toHaveLength(1);
  });

  it('says in a sentence that its port is taken', async () => {
    const taken = await listenLocally(createServer());

    const { runner, said, ended } = npmStart([], { PARLEY_PORT: String(taken.port) });
    await ended;

    await taken.close();
    expect(said.err).toMatch(new RegExp(`^Port ${taken.port} of 127\\.0\\.0\\.1 is taken; [^\\n]+\\n$`));
    expect([runner.exitCode, said.out]).toEqual([1, '']);
  });

  it.each([
    [['--colour'], "Unknown option '--colour'; see npm start -- --help."],
    [['--chat-service-url', 'nowhere'], '--chat-service-url is "nowhere" but must be an address'],
    [['--stage', 'production'], 'stage: "production" is unknown'],
  ])('refuses %j in a sentence', async (args, sentence) => {
    const { runner, said, ended } = npmStart(args);
    await ended;

    expect(said.err).toContain(sentence);
    expect(said.err.trim().split('\n')).toHaveLength(1);
    expect(runner.exitCode).toBe(1);
  });

  it('tells how it is used', async () => {
    const { runner, said, ended } = npmStart(['--help']);
    await ended;

    expect(said.out).toContain('--chat-service-url');
    expect([runner.exitCode, said.err]).toEqual([0, '']);
  });
});
