import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { EXIT } from '../../../../cli/base/errors.ts';
import { isRunnable } from '../../../../cli/program.ts';
import { createTestProgram } from '../../../support/parse-command-line.ts';

/** Lists the commands of `parley` with their arguments and options, and the exit codes. */
export const commandLines = (): readonly string[] => [
  ...linesOf(createTestProgram(), 'parley'),
  ...Object.entries(EXIT).map(([name, code]) => `exit code ${code}: ${name}`),
];

const linesOf = (command: CommandUnknownOpts, path: string): readonly string[] => [
  ...(isRunnable(command) ? [[path, ...command.registeredArguments.map(termOf)].join(' ')] : []),
  ...command.options.map(({ flags, mandatory, argChoices, defaultValue }) => {
    const choices = argChoices === undefined ? '' : `: ${argChoices.join(' | ')}`;
    const byDefault = defaultValue === undefined ? '' : ` = ${JSON.stringify(defaultValue)}`;
    return `${path} ${flags}${choices}${byDefault}${mandatory ? ', required' : ''}`;
  }),
  ...command.commands.flatMap((child) => linesOf(child, `${path} ${child.name()}`)),
];

const termOf = (argument: CommandUnknownOpts['registeredArguments'][number]): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  const choices = argument.argChoices === undefined ? '' : `: ${argument.argChoices.join(' | ')}`;
  return argument.required ? `<${name}${choices}>` : `[${name}${choices}]`;
};
