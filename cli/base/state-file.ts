import { open, readFile, rename } from 'node:fs/promises';
import type { z } from 'zod';
import { CliError, EXIT } from './errors.ts';

/** Returns the path of a command's state file: next to its input, one per target. A stack's ARN is a valid target too. */
export const stateFileBeside = (file: string, targetId: string, command: 'broadcast' | 'import'): string =>
  `${file}.${targetId.replace(/[^\w.-]+/g, '_')}.${command}.json`;

/**
 * Reads a state file.
 *
 * @param invalid what to say about a file that is none
 * @returns `undefined` if there is none.
 * @throws CliError for an invalid one.
 */
export const readStateFile = async <State>(
  stateFile: string,
  schema: z.ZodType<State>,
  invalid: string,
): Promise<State | undefined> => {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new CliError(EXIT.usage, invalid);
  }
};

/**
 * Replaces a state file atomically, so that a crash leaves either the old state or the new one. Only its owner can read
 * it, because reasons of refused rows may quote them.
 *
 * @param explain returns what to say if it cannot be written for this reason
 * @throws CliError if the file cannot be written.
 */
export const writeStateFile = async (
  stateFile: string,
  state: unknown,
  explain: (reason: string) => string,
): Promise<void> => {
  try {
    await writeForOwner(`${stateFile}.new`, `${JSON.stringify(state, null, 2)}\n`);
    await rename(`${stateFile}.new`, stateFile);
  } catch (error) {
    throw new CliError(EXIT.failed, explain(error instanceof Error ? error.message : String(error)));
  }
};

const writeForOwner = async (file: string, text: string): Promise<void> => {
  await using handle = await open(file, 'w', 0o600);
  // The mode above applies only to a new file, and a crash may have left one behind.
  await handle.chmod(0o600);
  await handle.writeFile(text);
};
