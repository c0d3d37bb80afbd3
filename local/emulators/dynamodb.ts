import { access, constants } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ListeningServer, listenLocally } from '../listen-locally.ts';
import { LocalError } from '../local-error.ts';
import { startGuarded } from './guarded-process.ts';

/** The DynamoDB emulator, which tests can pause. */
export interface DynamoDbEmulator extends ListeningServer {
  /** Pauses the emulator, which then leaves requests unanswered, or resumes it and answers them. */
  readonly pause: (paused: boolean) => void;
}

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** The version in package.json, which installs it on Linux (x64); see "Run it on your machine" in README.md. */
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
): Promise<DynamoDbEmulator> => {
  const binary = await findBinary(environment);
  let reason = '';
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const started = await tryStart(binary, folder, join(folder, `tables-${attempt}.db`));
    if ('emulator' in started) return started.emulator;
    reason = started.reason;
  }
  throw new LocalError(`The DynamoDB emulator ${binary} did not start${reason && `: ${reason}`}`);
};

const tryStart = async (
  binary: string,
  folder: string,
  database: string,
): Promise<{ readonly emulator: DynamoDbEmulator } | { readonly reason: string }> => {
  await using stack = new AsyncDisposableStack();
  const port = await findFreePort();
  const program = stack.use(startGuarded(binary, ['serve', '--port', String(port), '--db-path', database], folder));
  while (program.isRunning() && !(await isListening(port))) await pause(POLL_MS);
  if (!program.isRunning()) return { reason: program.errorOutput() };
  await indexStreamRecords(database);
  const resources = stack.move();
  const close = (): Promise<void> => resources.disposeAsync();
  const url = `http://127.0.0.1:${port}`;
  return { emulator: { url, port, pause: program.pause, close, [Symbol.asyncDispose]: close } };
};

const findBinary = async (environment: NodeJS.ProcessEnv): Promise<string> => {
  const configured = environment.DYNOXIDE_BIN;
  const platform = `${process.platform}-${process.arch}`;
  const binary = configured || join(MODULES, '@dynoxide', platform, 'dynoxide');
  const isExecutable = await access(binary, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isExecutable) return binary;
  throw new LocalError(
    configured
      ? `DYNOXIDE_BIN is ${configured}, which does not exist or is not executable. Set it to the path of a dynoxide binary.`
      : `The DynamoDB emulator for ${platform} is not installed. Run "npm install --no-save @dynoxide/${platform}@${DYNOXIDE_VERSION}", or set DYNOXIDE_BIN to the path of a dynoxide binary.`,
  );
};

const findFreePort = async (): Promise<number> => {
  await using server = await listenLocally(createServer());
  return server.port;
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
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
