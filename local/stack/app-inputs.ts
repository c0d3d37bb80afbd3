import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** What is not an input of an app: its own output, its repository's history, and the files of local runs. */
const NO_INPUTS = new Set(['.git', '.parley', 'cdk.out']);

/** Returns the folders whose files are an app's inputs: its own, and that of its packages if it is a link to another. */
export const inputFolders = (appFolder: string): readonly string[] => {
  const packages = join(appFolder, 'node_modules');
  try {
    const real = realpathSync(packages);
    return real === packages ? [appFolder] : [appFolder, real];
  } catch {
    return [appFolder];
  }
};

/** Returns whether a path is one of an app's folders or an input in one of them. */
export const isInput = (folders: readonly string[], path: string): boolean =>
  folders.some(
    (folder) =>
      path === folder ||
      (path.startsWith(`${folder}/`) &&
        !path
          .slice(folder.length)
          .split('/')
          .some((name) => NO_INPUTS.has(name))),
  );

/**
 * Returns a value that changes with every file in the folders, or undefined if it would not change with all that a program
 * can read in them: if one of them cannot be read, or if a link leads out of them.
 *
 * It depends on sizes and times, not contents, because a folder of packages has tens of thousands of files. No program
 * can set the time of a change, `ctime`.
 */
export const inputState = (folders: readonly string[]): string | undefined => {
  const hash = createHash('sha256');
  const add = (folder: string): boolean =>
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !NO_INPUTS.has(name))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .every((entry) => {
        const path = join(folder, entry.name);
        hash.update(`${path}\0${entry.isDirectory() ? 'folder' : fileState(path)}\n`);
        if (entry.isDirectory()) return add(path);
        return !entry.isSymbolicLink() || isInput(folders, realpathSync(path));
      });
  try {
    return folders.every(add) ? hash.digest('hex') : undefined;
  } catch {
    // Such as a folder of another user, or a file that was removed in the meantime.
    return undefined;
  }
};

const fileState = (file: string): string => {
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(file, { bigint: true });
  return [size, mtimeNs, ctimeNs, ino].join(' ');
};
