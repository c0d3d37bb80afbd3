import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { readStateFile, stateFileBeside, writeStateFile } from '../base/state-file.ts';
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

/** Returns the path of the state file, next to the history. */
export const importStateFile = (file: string, targetId: string): string => stateFileBeside(file, targetId, 'import');

/**
 * Reads how far an import of the same entries into the same target has progressed.
 *
 * @throws CliError for an invalid state file.
 */
export const readImportState = async (
  stateFile: string,
  { contentId, target }: Pick<ImportState, 'contentId' | 'target'>,
): Promise<ImportState | undefined> => {
  const state = await readStateFile(
    stateFile,
    importState,
    `${stateFile} is not a state file of an import. Delete it, or name another file with --state. What was imported ` +
      'before is not stored twice.',
  );
  return state?.contentId === contentId && state.target === target ? state : undefined;
};

/** @throws CliError if the file cannot be written. */
export const writeImportState = (stateFile: string, state: ImportState): Promise<void> =>
  writeStateFile(
    stateFile,
    state,
    (reason) => `Cannot write the state file ${stateFile}: ${reason}. Name a file that can be written with --state.`,
  );

/** Deletes the state of a complete import. If that fails, the next import of the file finds that it is complete. */
export const removeImportState = async (stateFile: string): Promise<void> => {
  await rm(stateFile, { force: true }).catch(() => undefined);
};
