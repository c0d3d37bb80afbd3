import { createHash } from 'node:crypto';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import type { LocalCloud, LocalOptions } from '../../local/local-cloud.ts';
import { startCheckedCloud } from './checked-cloud.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder of the whole test run, removed at its end. */
    readonly testRunFolder: string;
  }
}

const POLL_MS = 50;

/**
 * Starts a local run for tests. Runs with the same stage and settings share one synthesized app, whichever file they
 * belong to: the first one synthesizes it, the others wait for it.
 */
export const startTestCloud = async (options: LocalOptions = {}): Promise<LocalCloud> => {
  const { stage = 'dev', settings = {}, chatServiceUrl } = options;
  const name = createHash('sha256')
    .update(JSON.stringify([stage, settings, chatServiceUrl]))
    .digest('hex');
  const folder = join(inject('testRunFolder'), name.slice(0, 16));
  const outdir = join(folder, 'cdk.out');
  const logFolder = options.logFolder ?? join(inject('testRunFolder'), 'logs', name.slice(0, 16));
  const marker = join(outdir, 'synthesized-from.json');
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  // If the first run cannot synthesize the app, it removes the folder, and the others report the error themselves.
  while (!isFirst && !(await exists(marker)) && (await exists(folder))) await pause(POLL_MS);
  try {
    return await startCheckedCloud({ ...options, outdir, logFolder });
  } finally {
    if (isFirst && !(await exists(marker))) await rm(folder, { recursive: true, force: true });
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
