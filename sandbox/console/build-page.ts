import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { PageFiles } from './page-files.ts';

const builtFiles = z.record(z.string(), z.string());

/**
 * Builds the console's page, which takes about a third of a second. It runs in a separate process, so that the sandbox
 * does not retain the bundler's memory, and builds in memory, so that no built file can be out of date.
 *
 * @throws Error with Vite's message if the page cannot be built
 */
export const consolePage = async (): Promise<PageFiles> => {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url)], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return new Map(Object.entries(builtFiles.parse(JSON.parse(stdout))));
};

/** Builds the page in this process. */
const bundlePage = async (): Promise<Record<string, string>> => {
  const { build } = await import('vite');
  const output = await build({
    configFile: false,
    root: fileURLToPath(new URL('./page', import.meta.url)),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      assetsInlineLimit: 0,
      license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    },
  });
  const [result] = [output].flat();
  if (result === undefined || !('output' in result)) throw new Error('Vite did not build the page.');

  const files: Record<string, string> = {};
  for (const file of result.output) {
    const text = file.type === 'chunk' ? file.code : file.source;
    files[`/${file.fileName}`] = typeof text === 'string' ? text : new TextDecoder().decode(text);
  }
  return files;
};

if (import.meta.main) process.stdout.write(JSON.stringify(await bundlePage()));
