import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CliError } from './cli-error.ts';
import type { CommandCall } from './command.ts';
import { EXIT } from './exit-codes.ts';

/** The file's text, or standard input's for `-`. @throws CliError when there is no such file. */
export const readText = async (file: string, { stdin }: Pick<CommandCall, 'stdin'>): Promise<string> => {
  if (file === '-') return text(stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
};

export const unreadable = (file: string, error: unknown): CliError => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return new CliError(EXIT.usage, `There is no file ${file}; give the path of one.`);
  if (code === 'EISDIR') return new CliError(EXIT.usage, `${file} is a folder; give the path of a file.`);
  if (code === 'EACCES') return new CliError(EXIT.usage, `${file} may not be read; change its permissions.`);
  return new CliError(EXIT.failed, `${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
};
