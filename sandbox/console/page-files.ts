import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

const BUILD = fileURLToPath(new URL('./build-page.ts', import.meta.url));

const builtFiles = z.record(z.string(), z.string());

/** The page's files: from the path that each is served at to its text. */
export type PageFiles = ReadonlyMap<string, string>;

/**
 * Builds the console's page, which takes about a third of a second. In a process of its own, so that the bundler's
 * memory does not stay with the sandbox; and into memory, so that no built file can be out of date.
 *
 * @throws Error with what Vite says, when the page cannot be built.
 */
export const buildPageFiles = async (): Promise<PageFiles> => {
  const { stdout } = await promisify(execFile)(process.execPath, [BUILD], { maxBuffer: 16 * 1024 * 1024 });
  return new Map(Object.entries(builtFiles.parse(JSON.parse(stdout))));
};
