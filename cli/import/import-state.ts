import { open, readFile, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { CliError, EXIT } from '../base/errors.ts';
import { refusedRows } from '../broadcast/refused-rows.ts';

const importState = z.object({
  /** Derived from the entries: another file is another import. */
  contentId: z.string(),
  /** The target's ID. */
  target: z.string(),
  /** Calls made so far, and the entries in them. */
  chunks: z.int(),
  entries: z.int(),
  added: z.int(),
  existing: z.int(),
  unreadable: refusedRows,
});

/** How far an import has progressed. */
export type ImportState = z.output<typeof importState>;

/** Returns the path of the state file: next to the history, one per target. A stack's ARN is a valid target too. */
export const importStateFile = (file: string, targetId: string): string =>
  `${file}.${targetId.replace(/[^\w.-]+/g, '_')}.import.json`;

/**
 * Reads how far an import of the same entries into the same target has progressed.
 *
 * @throws CliError for an invalid state file.
 */
export const readImportState = async (
  stateFile: string,
  { contentId, target }: Pick<ImportState, 'contentId' | 'target'>,
): Promise<ImportState | undefined> => {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const state = parseState(stateFile, text);
  return state.contentId === contentId && state.target === target ? state : undefined;
};

const parseState = (stateFile: string, text: string): ImportState => {
  try {
    return importState.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      EXIT.usage,
      `${stateFile} is not a state file of an import. Delete it, or name another file with --state. What was imported ` +
        'before is not stored twice.',
    );
  }
};

/**
 * Replaces a state file atomically, so that a crash leaves either the old state or the new one. Only its owner can read
 * it, because reasons of unreadable entries may quote them.
 *
 * @throws CliError if the file cannot be written.
 */
export const writeImportState = async (stateFile: string, state: ImportState): Promise<void> => {
  try {
    await writeForOwner(`${stateFile}.new`, `${JSON.stringify(state, null, 2)}\n`);
    await rename(`${stateFile}.new`, stateFile);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      EXIT.failed,
      `Cannot write the state file ${stateFile}: ${reason}. Name a file that can be written with --state.`,
    );
  }
};

const writeForOwner = async (file: string, text: string): Promise<void> => {
  await using handle = await open(file, 'w', 0o600);
  // The mode above applies only to a new file, and a crash may have left one behind.
  await handle.chmod(0o600);
  await handle.writeFile(text);
};

/** Deletes the state of a complete import. If that fails, the next import of the file finds that it is complete. */
export const removeImportState = async (stateFile: string): Promise<void> => {
  await rm(stateFile, { force: true }).catch(() => undefined);
};
