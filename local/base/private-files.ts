import { chmod, type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';

const OWNER_ONLY = { file: 0o600, folder: 0o700 };

/** Creates a file, or empties it, that only its owner can read, even if it was created with more permissions. */
export const openPrivateFile = async (path: string): Promise<FileHandle> => {
  const file = await open(path, 'w', OWNER_ONLY.file);
  // The mode above applies only to a new file.
  await file.chmod(OWNER_ONLY.file);
  return file;
};

/** The files and folders that a run writes. */
const isWrittenByRuns = (name: string): boolean =>
  ['local.json', 'logs', 'synthesized'].includes(name) || name.endsWith('.log');

/**
 * Creates a folder that only its owner can open. A folder that exists loses other users' permissions if it is named
 * `.parley` or holds nothing but what runs have written. Any other folder, such as a home folder, keeps its
 * permissions.
 */
export const createPrivateFolder = async (path: string): Promise<void> => {
  const created = await mkdir(path, { recursive: true, mode: OWNER_ONLY.folder });
  if (created !== undefined) return;
  if (await isOwnFolder(path)) await chmod(path, OWNER_ONLY.folder);
};

/** The restricted deletion flag of folders that many users write to, such as `/tmp`. */
const STICKY = 0o1000;

const isOwnFolder = async (path: string): Promise<boolean> => {
  if (basename(path) === '.parley') return true;
  const isShared = ((await stat(path)).mode & STICKY) !== 0;
  return !isShared && (await readdir(path)).every(isWrittenByRuns);
};
