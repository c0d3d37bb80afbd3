import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageFiles } from './page-files.ts';

/**
 * Reads the page that was built together with the package. In the package, `#console-page` is this module; in the
 * repository, it is `build-page.ts`.
 */
export const consolePage = async (): Promise<PageFiles> => {
  const folder = fileURLToPath(new URL('../../built/console', import.meta.url));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(
        async (file) => [file.slice(folder.length).replaceAll('\\', '/'), await readFile(file, 'utf8')] as const,
      ),
    ),
  );
};
