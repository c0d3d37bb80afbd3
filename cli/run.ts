import type { Readable } from 'node:stream';
import { CommanderError } from '@commander-js/extra-typings';
import { printableJson, printableLine } from '../sandbox/base/terminal-text.ts';
import type { CommandContext } from './base/command.ts';
import { EXIT, type ExitCode, explainError } from './base/errors.ts';
import type { ProgressTerminal } from './base/progress.ts';
import type { FieldSources } from './base/request-fields.ts';
import { stateFolderAt } from './base/state-folder.ts';
import { findTarget, type Target, withTarget } from './base/target.ts';
import { createManagementClient } from './operations/management-client.ts';
import { createSignedFetch } from './operations/signed-fetch.ts';
import { createProgram } from './program.ts';

/** The parts of the process that the command uses. */
export interface Terminal {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Prints to standard output. */
  readonly print: (text: string) => void;
  /** Prints a line to standard error. */
  readonly say: (line: string) => void;
  /** Aborted by Ctrl-C. */
  readonly stop: AbortSignal;
  /** A folder of the app: by default, the local run keeps its state in the app's `.parley`. */
  readonly root: string;
  /** Width of standard output. */
  readonly columns?: number;
  /** Standard error, if it is a terminal. */
  readonly progressTerminal?: ProgressTerminal;
}

/** API Gateway's own limit is 30 seconds. */
const API_TIMEOUT_MS = 35_000;

/** Runs a command line. A failure prints one line to standard error. */
export const run = async (terminal: Terminal): Promise<ExitCode> => {
  const { args, environment, print, root } = terminal;
  // All output of the commands passes through here, so that everything is escaped.
  const say = (line: string): void => terminal.say(printableLine(line));
  const isJson = args.includes('--json');
  const outcome: { exitCode: ExitCode; target?: Target; sources?: FieldSources } = { exitCode: EXIT.done };
  const context: CommandContext = {
    async target() {
      outcome.target ??= await findTarget(
        program.opts(),
        environment,
        environment.PARLEY_STATE_FOLDER || stateFolderAt(root),
      );
      return outcome.target;
    },
    async api(sources) {
      outcome.sources = sources;
      const { region, credentials, addresses } = await context.target();
      return createManagementClient(
        addresses.managementUrl,
        createSignedFetch({ region, credentials }, API_TIMEOUT_MS),
      );
    },
    commandFor: (command) => withTarget(command, program.opts()),
    report({ lines, json, exitCode = EXIT.done }) {
      print(isJson ? printableJson(json, 2) : lines.map(printableLine).join('\n'));
      outcome.exitCode = exitCode;
    },
    say,
    stdin: terminal.stdin,
    progressTerminal: isJson ? undefined : terminal.progressTerminal,
    stop: terminal.stop,
  };
  const program = createProgram(context, terminal);
  try {
    if (args.length === 0) {
      program.outputHelp();
      return EXIT.usage;
    }
    await program.parseAsync(args, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    // Help was printed.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const { message, exitCode } = explainError(error, outcome.target, outcome.sources);
    if (isJson) terminal.say(printableJson({ error: { exitCode, message } }));
    else say(`parley: ${message}`);
    return exitCode;
  } finally {
    outcome.target?.sqs.destroy();
    outcome.target?.secretsManager.destroy();
  }
};
