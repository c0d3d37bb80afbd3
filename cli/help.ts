import type { CommandDefinition, OptionDefinition } from './command.ts';
import { COMMON_OPTIONS } from './command-line.ts';

/** What there is. */
export const overview = (commands: readonly CommandDefinition[]): string => `parley COMMAND [options]

The operator's command of Parley: acts on a deployed stack, or on the local run.

${columns(commands.map(({ name, what }) => [name, what]))}

Every command takes

${options(COMMON_OPTIONS)}

Exit codes: 0 done; 1 failed on the way; 2 the command line or a file is wrong; 3 not found; 4 refused;
5 no way in (credentials, permission, stack, local run); 6 done in part; 130 stopped by Ctrl-C.

Example: parley status order-17 --stage prod
`;

/** How one command is used. */
export const usage = (command: CommandDefinition): string => {
  const { name, what, positionals = [], note, examples } = command;
  const words = positionals.map((positional) => (positional.optional ? `[${positional.name}]` : positional.name));
  return [
    `parley ${[name, ...words].join(' ')} [options]`,
    `${what}.${note === undefined ? '' : ` ${note}`}`,
    positionals.length > 0 && columns(positionals.map((positional) => [positional.name, positional.what])),
    options([...(command.options ?? []), ...COMMON_OPTIONS]),
    `${examples.length > 1 ? 'Examples' : 'Example'}:\n\n${examples.map((example) => `  ${example}`).join('\n')}\n`,
  ]
    .filter((part) => part !== false)
    .join('\n\n');
};

const options = (definitions: readonly OptionDefinition[]): string =>
  columns(definitions.map(({ name, value, what }) => [`--${name}${value === undefined ? '' : ` ${value}`}`, what]));

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n');
};
