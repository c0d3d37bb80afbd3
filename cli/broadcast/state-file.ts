import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

const broadcastState = z.object({
  broadcastId: z.string(),
  /** The queue that the rows went to. */
  destination: z.string(),
  rows: z.int(),
  /** Rows that are dealt with, from the first on: queued or refused. */
  done: z.int(),
  queued: z.int(),
  /** Why rows were refused, and the first of them. */
  refused: z.record(z.string(), z.object({ count: z.int(), rows: z.array(z.int()) })),
});

/** How far a broadcast has come. */
export type BroadcastState = z.output<typeof broadcastState>;

/** Beside the file, one for each place that it is sent from. */
export const stateFileOf = (file: string, isLocal: boolean, place: string): string =>
  `${file}.${isLocal ? 'local' : place.replace(/[^\w-]+/g, '_')}.broadcast.json`;

/** Nothing when there is none. @throws CliError for one that cannot be read. */
export const readState = async (stateFile: string): Promise<BroadcastState | undefined> => {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return broadcastState.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      EXIT.usage,
      `${stateFile} is no broadcast's state; remove it to begin anew: rows that went out before are not sent again.`,
    );
  }
};

/** Replaced whole, so that a broadcast that is killed leaves the old one or the new one. */
export const writeState = async (stateFile: string, state: BroadcastState): Promise<void> => {
  try {
    await writeFile(`${stateFile}.new`, `${JSON.stringify(state, null, 2)}\n`);
    await rename(`${stateFile}.new`, stateFile);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(
      EXIT.failed,
      `${stateFile}, which keeps how far the broadcast has come, cannot be written: ${why}; put the CSV where files may be made.`,
    );
  }
};
