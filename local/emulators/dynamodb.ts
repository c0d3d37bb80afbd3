import { randomInt } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { ListeningServer } from '../base/listen-locally.ts';
import { LocalError } from '../base/local-error.ts';
import { startCheckedConnections, type UncheckedAddress } from './checked-connections.ts';
import { startGuarded } from './guarded-process.ts';

/** The DynamoDB emulator, which tests can pause. */
export interface DynamoDbEmulator extends ListeningServer {
  /** Pauses the emulator, which then leaves requests unanswered, or resumes it and answers them. */
  readonly pause: (paused: boolean) => void;
}

const require = createRequire(import.meta.url);
/** The version in package.json, which installs it on Linux (x64); see docs/local-run.md. */
const DYNOXIDE_VERSION = '1.2.1';
/** Retries on another port, because another program may take the free port before the emulator does. */
const START_ATTEMPTS = 3;
const POLL_MS = 5;

/**
 * Starts dynoxide on a new database in the folder.
 *
 * @throws LocalError if the binary is missing or does not start.
 */
export const startDynamoDb = async (
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
  port?: number,
): Promise<DynamoDbEmulator> => {
  const binary = await findDynoxide(environment);
  let reason = '';
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const started = await tryStart(binary, folder, databaseFile(folder, attempt), port);
    if ('emulator' in started) return started.emulator;
    reason = started.reason;
  }
  throw new LocalError(`The DynamoDB emulator ${binary} did not start${reason && `: ${reason}`}`);
};

/** Returns the database of the emulator that runs in a folder. */
export const databaseFile = (folder: string, attempt = 1): string => join(folder, `tables-${attempt}.db`);

const tryStart = async (
  binary: string,
  folder: string,
  database: string,
  frontPort: number | undefined,
): Promise<{ readonly emulator: DynamoDbEmulator } | { readonly reason: string }> => {
  await using stack = new AsyncDisposableStack();
  const address = await findFreeAddress();
  const { host, port } = address;
  const options = ['--host', host, '--port', String(port), '--db-path', database];
  const program = stack.use(startGuarded(binary, ['serve', ...options], folder));
  while (program.isRunning() && !(await isListening(address))) await pause(POLL_MS);
  if (!program.isRunning()) return { reason: program.errorOutput() };
  await indexStreamRecords(database);
  const front = stack.use(await startCheckedConnections(address, frontPort));
  const resources = stack.move();
  const close = (): Promise<void> => resources.disposeAsync();
  return { emulator: { ...front, pause: program.pause, close, [Symbol.asyncDispose]: close } };
};

/** Returns the path of the emulator's program. @throws LocalError if it is missing. */
export const findDynoxide = async (environment: NodeJS.ProcessEnv = process.env): Promise<string> => {
  const configured = environment.DYNOXIDE_BIN;
  const platform = `${process.platform}-${process.arch}`;
  const binary = configured || installedBinary(`@dynoxide/${platform}`);
  if (binary !== undefined && (await isExecutable(binary))) return binary;
  throw new LocalError(
    configured
      ? `DYNOXIDE_BIN is ${configured}, which does not exist or is not executable. Set it to the path of a dynoxide binary.`
      : `The DynamoDB emulator for ${platform} is not installed. Run "npm install --no-save @dynoxide/${platform}@${DYNOXIDE_VERSION}", or set DYNOXIDE_BIN to the path of a dynoxide binary.`,
  );
};

/** Returns the path of the program in an installed package, wherever npm has put it. */
const installedBinary = (name: string): string | undefined => {
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'dynoxide');
  } catch {
    return undefined;
  }
};

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

/**
 * Returns a free port of a random loopback address. dynoxide answers every page, and lets it read the answer, so pages
 * must not be able to find it. Where only 127.0.0.1 is a loopback address, as on macOS, only the port is random.
 */
const findFreeAddress = async (): Promise<UncheckedAddress> => {
  const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await findFreePort(host);
  if (port !== undefined) return { host, port };
  const fallback = await findFreePort('127.0.0.1');
  if (fallback === undefined) throw new LocalError('No port of 127.0.0.1 is free.');
  return { host: '127.0.0.1', port: fallback };
};

const findFreePort = (host: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(undefined));
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });

const isListening = (address: UncheckedAddress): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ ...address });
    socket.once('connect', () => socket.destroy()).once('error', () => resolve(false));
    socket.once('connect', () => resolve(true));
  });

/** Without these indexes, every write to a table with a stream scans all stream records of the run. */
const indexStreamRecords = async (file: string): Promise<void> => {
  using database = new DatabaseSync(file);
  database.exec('PRAGMA busy_timeout = 5000');
  // On a busy machine, the emulator may listen before it has created its own tables.
  const created = database.prepare("SELECT name FROM sqlite_master WHERE name = '_stream_records'");
  while (created.get() === undefined) await pause(POLL_MS);
  database.exec('CREATE INDEX parley_sequence ON _stream_records (table_name, CAST(sequence_number AS INTEGER))');
  database.exec(
    'CREATE INDEX parley_shard ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER))',
  );
};
