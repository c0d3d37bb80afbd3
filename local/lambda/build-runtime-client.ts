import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Makes one file of JavaScript of the runtime client, and returns its path: a process that had to strip the types first
 * would start a third of a cold start later.
 */
export const buildRuntimeClient = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'runtime-client.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./runtime-client.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'silent',
  });
  return outfile;
};
