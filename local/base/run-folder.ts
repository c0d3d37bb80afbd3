import { access, constants, type DisposableTempDir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary folder that is removed when the run ends. */
export type RunFolder = DisposableTempDir;

const SHARED_MEMORY = '/dev/shm';

/** Creates a run's folder, in memory if possible, because the DynamoDB emulator writes to disk on every request. */
export const createRunFolder = async (): Promise<RunFolder> => {
  const parent = await access(SHARED_MEMORY, constants.W_OK).then(
    () => SHARED_MEMORY,
    () => tmpdir(),
  );
  return mkdtempDisposable(join(parent, 'parley-'));
};
