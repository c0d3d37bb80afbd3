import { z } from 'zod';
import { readStateFile, stateFileBeside, writeStateFile } from '../base/state-file.ts';
import { refusedRows } from './refused-rows.ts';

const broadcastState = z.object({
  broadcastId: z.string(),
  /** The prefix of the request IDs. */
  requestPrefix: z.string(),
  /** The default `notAfter` of the requests, so that continuing the broadcast creates the same requests. */
  notAfter: z.optional(z.string()),
  /** Derived from the file and the message: a broadcast of other content is another broadcast. */
  contentId: z.string(),
  /** URL of the queue that the rows were sent to. */
  destination: z.string(),
  rows: z.int(),
  /** Rows processed so far, counted from the first: queued or refused. */
  done: z.int(),
  queued: z.int(),
  refused: refusedRows,
});

/** How far a broadcast has progressed. */
export type BroadcastState = z.output<typeof broadcastState>;

/** Returns the path of the state file, next to the CSV file. */
export const stateFileOf = (file: string, targetId: string): string => stateFileBeside(file, targetId, 'broadcast');

/**
 * Reads a state file.
 *
 * @returns `undefined` if there is none.
 * @throws CliError for an invalid one.
 */
export const readState = (stateFile: string): Promise<BroadcastState | undefined> =>
  readStateFile(
    stateFile,
    broadcastState,
    `${stateFile} is not a valid state file. Delete it to start over: rows that were already sent are not sent again, ` +
      'unless --new started the broadcast.',
  );

/** @throws CliError if the file cannot be written. */
export const writeState = (stateFile: string, state: BroadcastState): Promise<void> =>
  writeStateFile(
    stateFile,
    state,
    (reason) =>
      `Cannot write the broadcast's state file ${stateFile}: ${reason}. Move the CSV file to a writable directory.`,
  );
