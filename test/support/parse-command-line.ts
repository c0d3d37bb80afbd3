import { Readable } from 'node:stream';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect } from 'vitest';
import { createProgram } from '../../cli/program.ts';

const notCalled = () => Promise.reject(new Error('A command was run.'));

/** Creates the program of `parley` without a target, so that no command can do anything. */
export const createTestProgram = (args: readonly string[] = []) =>
  createProgram(
    {
      target: notCalled,
      api: notCalled,
      commandFor: (command) => command,
      report: () => {},
      say: () => {},
      stdin: Readable.from(['']),
      progressTerminal: undefined,
      stop: new AbortController().signal,
    },
    { args, print: () => {} },
  );

/** Parses a valid command line without running the command. Returns the command with its arguments and options. */
export const parseCommandLine = async (args: readonly string[]): Promise<CommandUnknownOpts> => {
  const program = createTestProgram(args);
  const parsed: CommandUnknownOpts[] = [];
  const stopped = new Error('Parsed.');
  program.hook('preAction', (_, command) => {
    parsed.push(command);
    throw stopped;
  });
  await expect(program.parseAsync(args, { from: 'user' }), args.join(' ')).rejects.toBe(stopped);
  const [command = program] = parsed;
  return command;
};
