import { open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import { CliError, EXIT } from '../errors.ts';
import { refusedRows } from './refused-rows.ts';

const broadcastState = z.object({
  /** The broadcast's ID. In the files of earlier versions, the prefix of the request IDs. */
  broadcastId: z.string(),
  /** The prefix of the request IDs. Missing in the files of earlier versions, whose requests name no broadcast. */
  requestPrefix: z.optional(z.string()),
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

/** Whether an earlier version started the broadcast. Its requests have neither a broadcast ID nor a default `notAfter`. */
export const isFromEarlierVersion = ({ requestPrefix }: BroadcastState): boolean => requestPrefix === undefined;

export const requestPrefixOf = ({ requestPrefix, broadcastId }: BroadcastState): string => requestPrefix ?? broadcastId;

/** Returns the path of the state file: next to the CSV file, one per target. A stack's ARN is a valid target too. */
export const stateFileOf = (file: string, targetId: string): string =>
  `${file}.${targetId.replace(/[^\w.-]+/g, '_')}.broadcast.json`;

/**
 * Reads a state file.
 *
 * @returns `undefined` if there is none.
 * @throws CliError for an invalid one.
 */
export const readState = async (stateFile: string): Promise<BroadcastState | undefined> => {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return broadcastState.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      EXIT.usage,
      `${stateFile} is not a valid state file. Delete it to start over: rows that were already sent are not sent again, ` +
        'unless --new started the broadcast.',
    );
  }
};

/**
 * Replaces the state file atomically, so that a crash leaves either the old state or the new one. Only its owner can read
 * it, because reasons of refused rows may quote them.
 */
export const writeState = async (stateFile: string, state: BroadcastState): Promise<void> => {
  try {
    await replaceForOwner(stateFile, state);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      EXIT.failed,
      `Cannot write the broadcast's state file ${stateFile}: ${reason}. Move the CSV file to a writable directory.`,
    );
  }
};

/** Replaces a file with a value as JSON, atomically. Only its owner can read it. */
export const replaceForOwner = async (file: string, value: unknown): Promise<void> => {
  await writeForOwner(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`);
  await rename(`${file}.new`, file);
};

const writeForOwner = async (file: string, text: string): Promise<void> => {
  await using handle = await open(file, 'w', 0o600);
  // The mode above applies only to a new file, and a crash may have left one behind.
  await handle.chmod(0o600);
  await handle.writeFile(text);
};
