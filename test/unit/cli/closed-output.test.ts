import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';

// What the commands share in writing to a pipe: `parley … | head -1`.

const COMMAND = join(import.meta.dirname, '../../../cli/parley.ts');
const folder = mkdtempSync(join(tmpdir(), 'parley-pipe-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the end of a pipe that can be written to, after the end that can be read from was closed. */
const openClosedPipe = (): number => {
  const path = join(folder, 'pipe');
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  closeSync(reader);
  return writer;
};

const runWithClosed = async (output: 'stdout' | 'stderr', args: readonly string[]) => {
  const pipe = openClosedPipe();
  const stdio = output === 'stdout' ? (['ignore', pipe, 'pipe'] as const) : (['ignore', 'pipe', pipe] as const);
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: [...stdio], cwd: folder });
  closeSync(pipe);
  const other = output === 'stdout' ? child.stderr : child.stdout;
  const [written, [code]] = await Promise.all([other ? text(other) : '', once(child, 'exit')]);
  return { code, written };
};

describe('a pipe that is closed before the command has written', () => {
  it.each(['--help', 'send --help', 'check-table --list-laws', 'check-table --list-laws --json'])(
    'ends the command without a word: parley %s',
    async (line) => {
      expect(await runWithClosed('stdout', line.split(' '))).toEqual({ code: 141, written: '' });
    },
  );

  it('as standard error leaves the exit code', async () => {
    expect(await runWithClosed('stderr', ['status', 'order-17'])).toEqual({ code: 2, written: '' });
  });
});
