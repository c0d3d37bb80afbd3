import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that lasts as long as the run. */
export interface RunFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** Makes a fresh folder on a memory file system where there is one: the table's file is written to on every request. */
export const createRunFolder = async (): Promise<RunFolder> => {
  const memory = await access('/dev/shm', constants.W_OK).then(
    () => '/dev/shm',
    () => tmpdir(),
  );
  const path = await mkdtemp(join(memory, 'parley-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
