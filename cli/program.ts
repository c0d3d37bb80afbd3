import { Command, type CommanderError, type CommandUnknownOpts, Help, Option } from '@commander-js/extra-typings';
import packageJson from '../package.json' with { type: 'json' };
import { type CommandContext, type CreateCommand, examples } from './base/command.ts';
import { CliError, EXIT } from './base/errors.ts';
import { createAlarmTestCommand } from './commands/alarm-test.ts';
import { createAlarmsCommand } from './commands/alarms.ts';
import { createAuditTrailCommand } from './commands/audit-trail.ts';
import { createBroadcastCommand } from './commands/broadcast.ts';
import { createBroadcastStatusCommand } from './commands/broadcast-status.ts';
import { createChannelsCommand } from './commands/channels.ts';
import { createCheckTableCommand } from './commands/check-table.ts';
import {
  createContactsCommand,
  createHandbackCommand,
  createHandoverCommand,
  createOptInCommand,
  createOptOutCommand,
} from './commands/contacts.ts';
import { createConversationCommand } from './commands/conversation.ts';
import { createListCommand, createSeparateCommand } from './commands/customers.ts';
import { createDeadLettersCommand } from './commands/dead-letters.ts';
import { createDoctorCommand } from './commands/doctor.ts';
import { createEraseCommand } from './commands/erase.ts';
import { createErasureScanCommand } from './commands/erasure-scan.ts';
import { createErasuresCommand } from './commands/erasures.ts';
import { createGapsCommand } from './commands/gaps.ts';
import { createImportCommand } from './commands/import.ts';
import { createInitCommand } from './commands/init.ts';
import { createPinCommand } from './commands/pin.ts';
import { createSendsCommand } from './commands/send-lists.ts';
import { createSendingCommand } from './commands/sending.ts';
import { createCancelCommand, createCanSendCommand, createSendCommand, createStatusCommand } from './commands/sends.ts';
import { createTokenCommand, TOKEN_AS_ARGUMENT } from './commands/token.ts';
import { createWebhookSecretCommand } from './commands/webhook-secret.ts';

/** In the order of the help. */
const COMMANDS: readonly CreateCommand[] = [
  createSendCommand,
  createCanSendCommand,
  (context) => createBroadcastCommand(context).addCommand(createBroadcastStatusCommand(context)),
  createStatusCommand,
  createCancelCommand,
  createConversationCommand,
  (context) => createContactsCommand(context).addCommand(createListCommand(context)),
  createOptInCommand,
  createOptOutCommand,
  createHandoverCommand,
  createHandbackCommand,
  createSeparateCommand,
  createTokenCommand,
  createWebhookSecretCommand,
  createDeadLettersCommand,
  createImportCommand,
  createSendsCommand,
  createSendingCommand,
  createEraseCommand,
  createErasuresCommand,
  createErasureScanCommand,
  createCheckTableCommand,
  createAuditTrailCommand,
  (context) => createAlarmsCommand(context).addCommand(createAlarmTestCommand(context)),
  createChannelsCommand,
  createGapsCommand,
  createDoctorCommand,
  createInitCommand,
  createPinCommand,
];

const EXIT_CODES = `
Exit codes:
  0    Success
  1    A service, the network, or the machine failed
  2    Invalid command line, input file, or request; nothing was done
  3    Not found
  4    Request refused
  5    Access denied or target not found (credentials, permissions, stack, local run)
  6    Partial success, or something was found; see the output
  130  Interrupted by Ctrl-C
  141  Standard output was closed early, such as by head`;

/** What the parser needs of the terminal. */
export interface ProgramTerminal {
  /** The command line, without the program's name. */
  readonly args: readonly string[];
  /** Prints the help. */
  readonly print: (text: string) => void;
  /** @default 80 */
  readonly columns?: number;
}

/**
 * Creates the command-line parser with all commands.
 *
 * Parsing never exits the process. It throws a `CommanderError` after it printed help, and a {@link CliError} for an
 * invalid command line.
 */
export const createProgram = (context: CommandContext, { args, print, columns }: ProgramTerminal) => {
  const program = new Command('parley')
    .description("Operate Parley: act on a deployed stack, or on this machine's local run.")
    .option('--stage <name>', 'Use the stack Parley-<name> (default: $PARLEY_STAGE)')
    .option('--stack <name>', 'Use the stack with this name')
    .option('--region <region>', "AWS region of the stack (default: your profile's region)")
    .addOption(new Option('--local', 'Use the local run of npm start').conflicts(['stage', 'stack']))
    .option('--json', 'Print results and errors as JSON')
    .version(packageJson.version, '--version', 'Show the version')
    .addHelpText('after', EXIT_CODES)
    .addHelpText('after', examples('parley status order-17 --stage prod'))
    .hook('preAction', (_program, command) => refuseAmbiguousValues(command, args));
  for (const createCommand of COMMANDS) program.addCommand(createCommand(context));
  for (const command of [program, ...descendantsOf(program)]) {
    command
      .helpOption('-h, --help', 'Show help')
      .helpCommand(false)
      .configureHelp({
        showGlobalOptions: true,
        // Not those of `broadcast` for `broadcast status`.
        visibleGlobalOptions: ({ parent }) => (parent ? [...program.options] : []),
        subcommandTerm: pathOf,
        subcommandDescription: summaryOf,
        formatHelp: listAllCommands,
      })
      .configureOutput({
        writeOut: print,
        // Errors are thrown instead.
        writeErr: () => {},
        getOutHelpWidth: () => columns ?? 80,
      })
      .exitOverride((error) => {
        throw error.exitCode === 0 ? error : explainUsageError(command, error);
      });
  }
  return program;
};

const descendantsOf = (command: CommandUnknownOpts): CommandUnknownOpts[] =>
  command.commands.flatMap((child) => [child, ...descendantsOf(child)]);

const runnableCommandsOf = (command: CommandUnknownOpts): CommandUnknownOpts[] =>
  descendantsOf(command).filter(isRunnable);

/** `broadcast` and `alarms` have a command of their own, and can be run themselves. */
export const isRunnable = ({ commands, registeredArguments, options, parent }: CommandUnknownOpts): boolean =>
  commands.length === 0 || registeredArguments.length > 0 || (parent !== null && options.length > 0);

/** Returns the name that a command is called by, such as `dead-letters list`. */
const pathOf = (command: CommandUnknownOpts): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Returns the first line of the description, without its period. */
const summaryOf = (command: CommandUnknownOpts): string => command.description().replace(/\.(\n.*)?$/s, '');

/** Lists all commands that can be run, where commander would list only the next level. */
const listAllCommands = (command: CommandUnknownOpts, helper: Help): string =>
  new Help().formatHelp(command, Object.assign(helper, { visibleCommands: runnableCommandsOf }));

/** Refuses a value such as that of `--stage --json`, which is more likely a missing value than one that starts with `--`. */
const refuseAmbiguousValues = (command: CommandUnknownOpts, args: readonly string[]): void => {
  const end = args.indexOf('--');
  const given = end < 0 ? args : args.slice(0, end + 1);
  for (const { long, required } of optionsOf(command)) {
    const isAmbiguous = given.some((arg, index) => arg === long && given[index + 1]?.startsWith('--'));
    if (!required || !isAmbiguous) continue;
    throw new CliError(
      EXIT.usage,
      `Option '${long}' argument is ambiguous. Use ${long}=<value> for a value that starts with --.`,
    );
  }
};

/** Returns the options that a command accepts: its own and those of its ancestors. */
const optionsOf = (command: CommandUnknownOpts): readonly Option[] => [
  ...command.options,
  ...(command.parent ? optionsOf(command.parent) : []),
];

const explainUsageError = (command: CommandUnknownOpts, { code, message }: CommanderError): CliError => {
  const path = command.parent ? `parley ${pathOf(command)}` : 'parley';
  if (code === 'commander.help') {
    const advice = command.parent
      ? `Incomplete command. Use one of: ${runnableCommandsOf(command).map(pathOf).join(', ')}.`
      : 'No command. See parley --help.';
    return new CliError(EXIT.usage, advice);
  }
  const [, fault = message, suggestion] = /^error: (.*?)(?:\n\((Did you mean .*)\))?$/s.exec(message) ?? [];
  const sentence = sentenceOf(explainFault(command, code, fault));
  if (sentence === TOKEN_AS_ARGUMENT && suggestion) return new CliError(EXIT.usage, `Unknown argument. ${suggestion}`);
  return new CliError(EXIT.usage, `${sentence} ${suggestion ?? `See ${path} --help.`}`);
};

/** Explains a fault without repeating what may be a secret: an option's value, or the token as an argument. */
const explainFault = (command: CommandUnknownOpts, code: string, fault: string): string => {
  const [, flag] = code === 'commander.unknownOption' ? (/^unknown option '(.*)'$/s.exec(fault) ?? []) : [];
  const name = flag?.startsWith('--') ? flag.replace(/=.*/s, '') : flag?.slice(0, 2);
  if (flag?.includes('=') && optionsOf(command).some(({ long }) => long === name)) {
    return `option '${name}' does not take an argument`;
  }
  if (code === 'commander.excessArguments' && optionsOf(command).some(({ long }) => long === '--text')) {
    return `too many arguments for '${command.name()}'. State the text of the message with --text`;
  }
  const isUnknown = /^commander\.(unknownOption|unknownCommand|excessArguments)$/.test(code);
  if (isUnknown && /^token\b/.test(pathOf(command))) return TOKEN_AS_ARGUMENT;
  return name === undefined ? fault : `unknown option '${name}'`;
};

const sentenceOf = (fault: string): string => {
  const sentence = `${fault.charAt(0).toUpperCase()}${fault.slice(1)}`.replace(/\s+/g, ' ');
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
};
