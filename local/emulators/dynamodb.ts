import { access, constants } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listenLocally } from '../listen-locally.ts';
import { LocalError } from '../local-error.ts';
import { startGuarded } from './guarded-process.ts';

/** An emulator that is ready. */
export interface Emulator {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const ATTEMPTS = 3;

/** The DynamoDB emulator, which can be out of reach for a while. */
export interface DynamoDbEmulator extends Emulator {
  /** Leaves every call unanswered from now on, or answers what waits and goes on. */
  readonly pause: (paused: boolean) => void;
}

/** Starts dynoxide on a fresh database in the folder. @throws LocalError when there is no binary or it does not start. */
export const startDynamoDb = async (
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<DynamoDbEmulator> => {
  const binary = await findBinary(environment);
  let reason = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    // Another program may take the port between the look and the start, so a start that fails is tried on another port.
    const port = await freePort();
    const database = join(folder, `tables-${attempt}.db`);
    const program = startGuarded(binary, ['serve', '--port', String(port), '--db-path', database], folder);
    let ended = false;
    void program.ended.then(() => {
      ended = true;
    });
    while (!ended && !(await answers(port))) await pause(5);
    if (!ended) {
      await indexStreamRecords(database);
      return { url: `http://127.0.0.1:${port}`, pause: program.pause, close: program.close };
    }
    reason = program.errorOutput();
  }
  throw new LocalError(`The DynamoDB emulator ${binary} does not start${reason && `: ${reason}`}`);
};

const findBinary = async (environment: NodeJS.ProcessEnv): Promise<string> => {
  const named = environment.DYNOXIDE_BIN;
  const binary = named || join(MODULES, '@dynoxide', `${process.platform}-${process.arch}`, 'dynoxide');
  const usable = await access(binary, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (usable) return binary;
  throw new LocalError(
    named
      ? `DYNOXIDE_BIN names ${named}, which is not there or cannot be run; set it to the path of a dynoxide binary.`
      : `There is no DynamoDB emulator for ${process.platform}-${process.arch}; run "npm ci" again, or set DYNOXIDE_BIN to the path of a dynoxide binary.`,
  );
};

const freePort = async (): Promise<number> => {
  const { port, close } = await listenLocally(createServer());
  await close();
  return port;
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Without these indexes every write with a stream looks through all stream records of the run. */
const indexStreamRecords = async (file: string): Promise<void> => {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    // On a busy machine the emulator listens before it has made its own tables.
    const made = database.prepare("SELECT name FROM sqlite_master WHERE name = '_stream_records'");
    while (made.get() === undefined) await pause(5);
    database.exec('CREATE INDEX parley_sequence ON _stream_records (table_name, CAST(sequence_number AS INTEGER))');
    database.exec(
      'CREATE INDEX parley_shard ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER))',
    );
  } finally {
    database.close();
  }
};
