import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { waitFor } from '../../../local/demo/wait-for.ts';

/** How to start a program of an example: the command, its first arguments, and its folder. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A program that runs until it is stopped. */
export interface RunningProgram extends AsyncDisposable {
  /** Waits until the output includes a text. */
  readonly prints: (expected: string) => Promise<void>;
  /** Sends SIGTERM, and waits for the end. */
  readonly stop: () => Promise<Ended>;
}

export type Environment = Readonly<Record<string, string>>;

const start = ({ command, args, cwd }: Program, more: readonly string[], env: Environment) =>
  spawn(command, [...args, ...more], { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });

const exitOf = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
};

/** Runs a program to its end. */
export const runProgram = async (program: Program, args: readonly string[], env: Environment): Promise<Ended> => {
  const child = start(program, args, env);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { code, out, err };
};

export const startProgram = (program: Program, args: readonly string[], env: Environment): RunningProgram => {
  const child = start(program, args, env);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const stop = async (): Promise<Ended> => {
    child.kill('SIGTERM');
    const code = await exitOf(child);
    return { code, out, err };
  };
  return {
    prints: async (expected) => {
      const isPrinted = async () => {
        if (child.exitCode !== null) throw new Error(`The program ended with ${child.exitCode}: ${out}${err}`);
        return out.includes(expected) || undefined;
      };
      await waitFor(`the program prints "${expected}"`, isPrinted).catch((cause: unknown) => {
        throw new Error(`"${expected}" is not in what the program printed: ${out}${err}`, { cause });
      });
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
};
