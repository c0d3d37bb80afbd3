import type { Readable } from 'node:stream';
import { Argument, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import type { ManagementClient } from '../operations/management-client.ts';
import type { ExitCode } from './errors.ts';
import type { ProgressTerminal } from './progress.ts';
import type { FieldSources } from './request-fields.ts';
import type { Target } from './target.ts';

/** Completes a command such as `parley status order-17` with the options that select the same target, for messages. */
export type CommandFor = (command: string) => string;

/** What the commands work with. */
export interface CommandContext {
  /** Finds the target on the first call. */
  readonly target: () => Promise<Target>;
  /** The target's management API. Its errors name what the sources do, and not the fields of the API. */
  readonly api: (sources?: FieldSources) => Promise<ManagementClient>;
  readonly commandFor: CommandFor;
  /** Prints the result to standard output and sets the exit code. */
  readonly report: (result: CommandResult) => void;
  /** Prints a progress line to standard error, escaped like the result. */
  readonly say: (line: string) => void;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Where a progress bar can be drawn: standard error. Undefined if it is not a terminal, or if the result is JSON. */
  readonly progressTerminal: ProgressTerminal | undefined;
  /** Aborted by Ctrl-C. */
  readonly stop: AbortSignal;
}

export interface CommandResult {
  /**
   * One output line each. Control characters, including line breaks, are escaped, because users can choose parts of the
   * text.
   */
  readonly lines: readonly string[];
  /** What `--json` prints instead of the lines. */
  readonly json: unknown;
  /** @default done */
  readonly exitCode?: ExitCode;
}

/** Creates a command, or a group of commands, that works with the context. */
export type CreateCommand = (context: CommandContext) => CommandUnknownOpts;

export const contactArgument = () => new Argument('<contact>', 'Contact ID of the user, such as +5491150000001');

/** `--channel`, which every command that names a contact has. */
export const channelOption = () =>
  new Option('--channel <number>', "Business number that the contact wrote to (default: the stage's)");

/** Returns the query that names the business number; empty if there is none. */
export const channelQuery = (chatChannelNumber: string | undefined): URLSearchParams =>
  new URLSearchParams(chatChannelNumber === undefined ? {} : { chatChannelNumber });

/** Formats the examples of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  $ ${line}`)].join('\n');

/** Formats a number with its noun: `1 send`, `2 sends`. */
export const count = (number: number, noun: string, several = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : several}`;

/** Quotes an argument for a shell if it must be, so that a command in a message can be pasted. */
export const quote = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

/** The line that names the command for the next page of a list; none on the last page. */
export const nextPage = (
  commandFor: CommandFor,
  command: readonly string[],
  options: Readonly<Record<string, string | undefined>>,
): readonly string[] => {
  if (options.cursor === undefined) return [];
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quote(value)],
  );
  return [`Next page: ${commandFor(['parley', ...command.map(quote), ...given].join(' '))}`];
};
