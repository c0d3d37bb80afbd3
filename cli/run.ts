import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CliError } from './cli-error.ts';
import type { CommandCall, CommandDefinition } from './command.ts';
import { type CommandLine, findCommand, readCommandLine } from './command-line.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { overview, usage } from './help.ts';
import { localSurroundings } from './local-surroundings.ts';
import { createManagementClient } from './operations/management-client.ts';
import { createSignedFetch } from './operations/signed-fetch.ts';
import { stackSurroundings } from './stack-surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** What the command is run with: all of the process that it sees. */
export interface Terminal {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly print: (text: string) => void;
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
  /** The repository, where a local run leaves its state unless told otherwise. */
  readonly root: string;
}

/** An HTTP API answers within 30 seconds. */
const API_TIMEOUT_MS = 35_000;

/** Runs a command line; its failure is one sentence on standard error. */
export const run = async (terminal: Terminal, commands: readonly CommandDefinition[]): Promise<ExitCode> => {
  const { args, print, say } = terminal;
  const isJson = args.includes('--json');
  const opened: { surroundings?: Surroundings } = {};
  try {
    if (args.length === 0 || (args.includes('--help') && !findCommand(args, commands))) {
      print(overview(commands));
      return args.length === 0 ? EXIT.usage : EXIT.done;
    }
    const line = readCommandLine(args, commands);
    if (line.values.help === true) {
      print(usage(line.command));
      return EXIT.done;
    }
    const result = await line.command.run(callOf(terminal, line, opened));
    print(isJson ? JSON.stringify(result.json, null, 2) : result.text);
    return result.exitCode ?? EXIT.done;
  } catch (error) {
    const { message, exitCode } = explainError(error, opened.surroundings?.place);
    say(isJson ? JSON.stringify({ error: { exitCode, message } }) : `parley: ${message}`);
    return exitCode;
  } finally {
    opened.surroundings?.sqs.destroy();
    opened.surroundings?.secretsManager.destroy();
  }
};

const callOf = (
  terminal: Terminal,
  { command, values, positionals }: CommandLine,
  opened: { surroundings?: Surroundings },
): CommandCall => {
  const texts = (name: string) => [values[name] ?? []].flat().filter((value) => typeof value === 'string');
  const surroundings = async () => {
    opened.surroundings ??= await findSurroundings(terminal, (name) => texts(name).at(-1), values.local === true);
    return opened.surroundings;
  };
  return {
    positional: (name) => positionals[command.positionals?.findIndex((one) => one.name === name) ?? -1] ?? '',
    option: (name) => texts(name).at(-1),
    options: texts,
    isSet: (name) => values[name] === true,
    surroundings,
    async api() {
      const { region, credentials, addresses } = await surroundings();
      return createManagementClient(
        addresses.managementUrl,
        createSignedFetch({ region, credentials }, API_TIMEOUT_MS),
      );
    },
    say: terminal.say,
    isJson: values.json === true,
    stdin: terminal.stdin,
    stop: terminal.stop,
  };
};

const findSurroundings = (
  { environment, root }: Terminal,
  option: (name: string) => string | undefined,
  isLocal: boolean,
): Promise<Surroundings> => {
  const stage = option('stage') ?? environment.PARLEY_STAGE;
  const stack = option('stack') ?? (stage && `Parley-${stage}`);
  if (isLocal) {
    if (option('stage') ?? option('stack')) {
      throw new CliError(EXIT.usage, 'Give --local, or a stack by --stage or --stack, not both.');
    }
    return localSurroundings(environment.PARLEY_STATE_FOLDER || join(root, '.parley'));
  }
  if (!stack) {
    throw new CliError(
      EXIT.usage,
      'Say where: --stage NAME (or PARLEY_STAGE) for a deployed stack, --local for the local run.',
    );
  }
  return stackSurroundings(stack, option('region'));
};
