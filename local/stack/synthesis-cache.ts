import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inputFolders } from './app-inputs.ts';
import type { CdkApp } from './cdk-app.ts';
import { synthesisKey } from './synthesis-key.ts';

/** Preloaded into the app's process. In a package, it is JavaScript like this module. */
const OBSERVER = pathToFileURL(join(import.meta.dirname, `input-observer${extname(import.meta.filename)}`)).href;

/** CDK's own cache, which it checks itself. */
const FINGERPRINTS = join(homedir(), '.cdk/cache/fingerprints');

/** The folders of kept results, and of those that are being written. */
const OWN_NAME = /^(?:[0-9a-f]{64}|new-\w{6})$/;

export interface SynthesisCacheSettings {
  /** The folder of the kept result. */
  readonly folder: string;
  /** The folder that the app is synthesized into. It must not exist. */
  readonly outdir: string;
  /** The file for notes about what the app uses. It must not exist. */
  readonly notes: string;
  /** The context that the app is synthesized with. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
  /** Folders of programs and threads that the app may start, because they read only its inputs. @default none */
  readonly programs?: readonly string[];
}

/** The kept result of a synthesis. */
export interface SynthesisCache {
  /** Copies the kept result to where the app would be synthesized. Returns false if there is none from the same inputs. */
  readonly restore: () => Promise<boolean>;
  /** The variables with which the app's process is observed. */
  readonly variables: Readonly<Record<string, string>>;
  /** Keeps a new result if the app has used nothing but its inputs, and they have not changed in the meantime. */
  readonly keep: () => Promise<void>;
}

const NO_CACHE: SynthesisCache = { restore: async () => false, variables: {}, keep: async () => {} };

/**
 * Opens the kept result of an app's synthesis, which is used again only with the same {@link synthesisKey}.
 *
 * Nothing is kept of an app that depends on more than that: if it reads or looks for a file outside its folder, starts
 * programs or threads, or uses the network.
 */
export const openSynthesisCache = (app: CdkApp, settings: SynthesisCacheSettings): SynthesisCache => {
  const { folder, outdir, notes, context, environment, programs = [] } = settings;
  const keyNow = () => synthesisKey(app, context, environment);
  const key = keyNow();
  if (key === undefined) return NO_CACHE;
  const kept = join(folder, key);
  return {
    async restore() {
      try {
        const files = await readFile(join(kept, 'files.json'), 'utf8');
        await cp(join(kept, 'cdk.out'), outdir, { recursive: true });
        if ((await filesIn(outdir)) === files) return true;
      } catch {
        // Nothing is kept, or something has removed a part of it.
      }
      await rm(kept, { recursive: true, force: true });
      await rm(outdir, { recursive: true, force: true });
      return false;
    },
    variables: {
      NODE_OPTIONS: `${environment.NODE_OPTIONS ?? ''} --import=${OBSERVER}`.trim(),
      PARLEY_NOTES: notes,
      PARLEY_INPUTS: JSON.stringify(inputFolders(app.folder)),
      PARLEY_OUTPUTS: JSON.stringify([outdir, FINGERPRINTS]),
      PARLEY_PROGRAMS: JSON.stringify(programs),
    },
    async keep() {
      const isObserved = (await readFile(notes, 'utf8')) === '';
      const files = await filesIn(outdir);
      if (isObserved && files !== undefined && keyNow() === key) await write(kept, { folder, outdir, files });
    },
  };
};

/** Returns the names and sizes of all files in a folder, or undefined if it contains anything but files and folders. */
const filesIn = async (folder: string): Promise<string | undefined> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  if (!entries.every((entry) => entry.isFile() || entry.isDirectory())) return undefined;
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const files = await Promise.all(
    paths.map(async (path) => {
      const stats = await stat(path);
      return [relative(folder, path), stats.isFile() && stats.size];
    }),
  );
  return JSON.stringify(files);
};

interface NewResult {
  readonly folder: string;
  readonly outdir: string;
  readonly files: string;
}

/** Writes a result into a folder of its own, because other starts may write theirs, and removes the earlier results. */
const write = async (kept: string, { folder, outdir, files }: NewResult): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const next = await mkdtemp(join(folder, 'new-'));
  await cp(outdir, join(next, 'cdk.out'), { recursive: true });
  await writeFile(join(next, 'files.json'), files);
  const earlier = (await readdir(folder)).filter((name) => OWN_NAME.test(name)).map((name) => join(folder, name));
  await Promise.all(earlier.filter((path) => path !== next).map((path) => rm(path, { recursive: true, force: true })));
  await rename(next, kept);
};
