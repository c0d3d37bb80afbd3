import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What is not an input of an app: its own output, its repository's history, and the files of local runs. */
const NO_INPUTS = new Set(['.git', '.parley', 'cdk.out']);

/** Returns whether a path below a folder is part of its {@link treeState}. */
export const isInTree = (folder: string, path: string): boolean =>
  path.startsWith(`${folder}/`) &&
  !path
    .slice(folder.length)
    .split('/')
    .some((name) => NO_INPUTS.has(name));

/**
 * Returns a value that changes with every file in a folder. It depends on sizes and times, not contents, because a folder
 * of packages has tens of thousands of files. No program can set the time of a change, `ctime`.
 */
export const treeState = (folder: string): string => {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort(byName)) {
      if (NO_INPUTS.has(entry.name)) continue;
      const file = join(path, entry.name);
      hash.update(`${file}\0${entry.isDirectory() ? 'folder' : fileState(file)}\n`);
      if (entry.isDirectory()) add(file);
    }
  };
  add(folder);
  return hash.digest('hex');
};

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

const fileState = (file: string): string => {
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(file, { bigint: true });
  return [size, mtimeNs, ctimeNs, ino].join(' ');
};

/** How an app uses a path: it reads the file, lists the folder, or copies the folder. */
export type InputKind = 'read' | 'listed' | 'copied';

/** Returns a value that changes with what an app sees at a path. */
export const inputState = (path: string, kind: InputKind): string => {
  try {
    if (!statSync(path).isDirectory()) return `${fileState(path)} ${targetState(path)}`;
    if (kind === 'read') return 'folder';
    return kind === 'listed' ? JSON.stringify(readdirSync(path).sort()) : treeState(path);
  } catch {
    return 'missing';
  }
};

/** A symbolic link stays the same when the file that it leads to changes. */
const targetState = (path: string): string => {
  const { size, mtimeNs, ctimeNs, ino } = statSync(path, { bigint: true });
  return [size, mtimeNs, ctimeNs, ino].join(' ');
};

/** Returns when a file, or a list of files, last changed, in milliseconds. 0 for what is missing and other folders. */
export const changedAt = ({ path, kind }: { readonly path: string; readonly kind: InputKind }): number => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isDirectory() && kind === 'read')) return 0;
  return Math.max(stats.mtimeMs, stats.ctimeMs);
};
