import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestName } from '../lib/settings/nearest-name.ts';
import { CliError } from './cli-error.ts';
import type { CommandDefinition, OptionDefinition } from './command.ts';
import { EXIT } from './exit-codes.ts';

/** Options of every command. */
export const COMMON_OPTIONS: readonly OptionDefinition[] = [
  { name: 'stage', value: 'NAME', what: 'act on the stack Parley-NAME (default: $PARLEY_STAGE)' },
  { name: 'stack', value: 'NAME', what: 'act on the stack of this name' },
  { name: 'region', value: 'REGION', what: 'the AWS region of the stack (default: the credentials’)' },
  { name: 'local', what: 'act on the local run of npm start' },
  { name: 'json', what: 'print JSON' },
  { name: 'help', what: 'print how the command is used' },
];

/** A command line, read. */
export interface CommandLine {
  readonly command: CommandDefinition;
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Finds the command: the longest name that the words begin with. */
export const findCommand = (
  args: readonly string[],
  commands: readonly CommandDefinition[],
): { readonly command: CommandDefinition; readonly rest: readonly string[] } | undefined => {
  const words = wordsOf(args);
  const found = commands
    .filter(({ name }) => name.split(' ').every((word, index) => words[index] === word))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  if (!found) return undefined;
  const named = new Set(wordIndexes(args).slice(0, found.name.split(' ').length));
  return { command: found, rest: args.filter((_, index) => !named.has(index)) };
};

/** What is neither an option nor the value of a common one, which may stand before the command. */
const wordIndexes = (args: readonly string[]): number[] => {
  const valued = COMMON_OPTIONS.filter(({ value }) => value !== undefined).map(({ name }) => `--${name}`);
  return [...args.keys()].filter((index) => !args[index]?.startsWith('-') && !valued.includes(args[index - 1] ?? ''));
};

const wordsOf = (args: readonly string[]): string[] => wordIndexes(args).map((index) => args[index] ?? '');

/** @throws CliError that names the first fault and what would have been right. */
export const readCommandLine = (args: readonly string[], commands: readonly CommandDefinition[]): CommandLine => {
  const found = findCommand(args, commands);
  if (!found) throw unknownCommand(args, commands);
  const { command } = found;
  const options = [...COMMON_OPTIONS, ...(command.options ?? [])];
  const { values, positionals } = parse(found.rest, options, command);
  if (values.help !== true) check(command, values, positionals);
  return { command, values, positionals };
};

const parse = (args: readonly string[], options: readonly OptionDefinition[], { name }: CommandDefinition) => {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    options.map((option) => [
      option.name,
      {
        type: option.value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: option.multiple ?? false,
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: config, allowPositionals: true });
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    const unknown = /Unknown option '--?([\w-]+)'/.exec(reason)?.[1];
    const nearest =
      unknown &&
      nearestName(
        unknown,
        options.map((option) => option.name),
      );
    const advice = nearest ? `did you mean --${nearest}?` : `see parley ${name} --help.`;
    throw new CliError(EXIT.usage, `${unknown ? `There is no option --${unknown}` : reason}; ${advice}`);
  }
};

const check = (
  { name, positionals: expected = [], options = [] }: CommandDefinition,
  values: CommandLine['values'],
  positionals: readonly string[],
): void => {
  const missing = expected.filter(({ optional }) => !optional)[positionals.length];
  if (missing)
    throw new CliError(EXIT.usage, `${missing.name} is missing: ${missing.what}; see parley ${name} --help.`);
  const extra = positionals[expected.length];
  if (extra !== undefined) {
    throw new CliError(EXIT.usage, `"${extra}" is one word too many; see parley ${name} --help.`);
  }
  const unset = options.find((option) => option.required && values[option.name] === undefined);
  if (unset) {
    throw new CliError(
      EXIT.usage,
      `--${unset.name} ${unset.value} is missing: ${unset.what}; see parley ${name} --help.`,
    );
  }
};

const unknownCommand = (args: readonly string[], commands: readonly CommandDefinition[]): CliError => {
  const words = wordsOf(args);
  const [first = ''] = words;
  const below = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (first !== '' && below.length > 0) {
    return new CliError(
      EXIT.usage,
      `"${words.slice(0, 3).join(' ')}" is no whole command; there is ${below.join(', ')}.`,
    );
  }
  const nearest = nearestName(first, [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]);
  return new CliError(
    EXIT.usage,
    `There is no command "${first}"; ${nearest ? `did you mean ${nearest}?` : 'see parley --help.'}`,
  );
};
