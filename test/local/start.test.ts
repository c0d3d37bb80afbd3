import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listenLocally } from '../../local/listen-locally.ts';
import { eventually } from './eventually.ts';

const START = fileURLToPath(new URL('../../local/start.ts', import.meta.url));

const npmStart = (args: readonly string[], environment: Record<string, string> = {}) => {
  const runner = spawn(process.execPath, [START, ...args], { env: { ...process.env, ...environment } });
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

const run = async (ending: NodeJS.Signals) => {
  const { runner, said, ended } = npmStart([]);
  await eventually(() => (said.out.includes('send-message') || runner.exitCode !== null ? true : undefined));
  const webhook = /webhook +(http:\S+)/.exec(said.out)?.[1] ?? '';
  const unsigned = await fetch(webhook, { method: 'POST', body: '{}' });
  const before = descendants(pidOf(runner));
  const folders = runFolders(before);
  runner.kill(ending);
  const [code] = await ended;
  await eventually(() => (alive(before).length === 0 ? true : undefined));
  await eventually(() => (folders.some(existsSync) ? undefined : true));
  return { said, code, status: unsigned.status, started: before.length, folders };
};

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('The runner did not start.');
  return pid;
};

/** The folders of a run, told by the command lines of its processes. */
const runFolders = (pids: readonly number[]): readonly string[] => {
  const commands = execFileSync('ps', ['-o', 'args=', '-p', pids.join(',')]).toString();
  return [...new Set(commands.match(/\/\S*\/parley-\w{6}(?=[\s/])/g))];
};

describe('npm start', () => {
  it('runs the stack until it is asked to end, and leaves no process and no folder', async () => {
    const { said, code, status, started, folders } = await run('SIGTERM');

    expect(said.err).toBe('');
    expect([status, code]).toEqual([401, 0]);
    // The guard and its DynamoDB emulator, the SQS emulator, a process of the function that was called.
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
