import { spawn } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { LocalError } from '../base/local-error.ts';
import type { CdkApp } from './cdk-app.ts';
import { openSynthesisCache } from './synthesis-cache.ts';

/**
 * Runs the app's command as `cdk synth` does: it writes the templates and the bundled functions into a folder.
 *
 * @param signal Ends the command.
 * @throws LocalError with the app's output if it fails, such as when it rejects its settings.
 */
const synthesize = async (
  app: CdkApp,
  outdir: string,
  context: Readonly<Record<string, unknown>>,
  { signal, variables }: { readonly signal?: AbortSignal | undefined; readonly variables?: NodeJS.ProcessEnv },
): Promise<void> => {
  signal?.throwIfAborted();
  const { folder, command } = app;
  const child = spawn(command, {
    cwd: folder,
    shell: true,
    env: {
      ...process.env,
      ...variables,
      // Node.js may have been started by its path, and be another one than the first in PATH.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      CDK_OUTDIR: outdir,
      // CDK's validation of templates takes a fifth of the time, and only the CDK command acts on its findings.
      CDK_VALIDATION: 'false',
      // Makes the metadata name the folder of a function's code. The CDK command sets it, too.
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, 'aws:cdk:enable-asset-metadata': true }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // In its own process group, which Ctrl-C does not reach, and which can be ended with all that the shell started.
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', end);
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((resolve) => {
    child.once('close', resolve).once('error', (error) => {
      output += error.message;
      resolve(1);
    });
  });
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  if (code !== 0) {
    throw new LocalError(`The app could not be synthesized. "${command}" in ${folder} failed:\n${output.trim()}`);
  }
};

/** The file in the app's folder that records what the app was synthesized from. */
const INPUT_FILE = 'synthesized-from.json';

/** Synthesizes the app unless the folder already contains one that was synthesized from the same context. */
export const synthesizeOnce = async (
  app: CdkApp,
  outdir: string,
  context: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<void> => {
  const input = JSON.stringify(context);
  const file = join(outdir, INPUT_FILE);
  if ((await readFile(file, 'utf8').catch(() => undefined)) === input) return;
  await synthesize(app, outdir, context, { signal });
  // Other processes wait for the file and must never read a part of it.
  await writeFile(`${file}.new`, input);
  await rename(`${file}.new`, file);
};

const REPOSITORY = join(import.meta.dirname, '../..');

export interface CachedSynthesis {
  /** The folder for the result. It must not exist. */
  readonly outdir: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
  /** The folder of the kept result. */
  readonly cacheFolder: string;
  /** A file for notes about what the app uses. It must not exist. */
  readonly notes: string;
  /** Receives whether the app is synthesized. */
  readonly onStep: (step: string) => void;
}

/** Synthesizes the app, or copies its kept result if nothing has changed since. */
export const synthesizeIfChanged = async (app: CdkApp, settings: CachedSynthesis): Promise<void> => {
  const { outdir, context, signal, cacheFolder: folder, notes, onStep } = settings;
  // Bundles Parley's own functions, from the repository, which is the app's folder.
  const esbuild = ['esbuild', '@esbuild'].map((name) => join(REPOSITORY, 'node_modules', name));
  const programs = app.folder === REPOSITORY ? esbuild : [];
  const environment = process.env;
  const cache = openSynthesisCache(app, { folder, outdir, notes, context, environment, programs });
  if (await cache.restore()) {
    onStep('Using the app as synthesized before, because nothing has changed');
    return;
  }
  onStep('Synthesizing the app');
  await synthesize(app, outdir, context, { signal, variables: cache.variables });
  // Without it, the next run synthesizes the app again.
  await cache.keep().catch(() => undefined);
};
