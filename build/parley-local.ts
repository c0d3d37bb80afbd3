import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runtimeClientFile } from '../local/functions/bundled-runtime-client.ts';
import { consolePage } from '../sandbox/console/build-page.ts';
import { addDocuments } from './documents.ts';
import type { PackageRecipe } from './package-recipe.ts';

/** The package of the local run and the sandbox, which apps install for development only. */
export const parleyLocal = (root: string): PackageRecipe => ({
  name: '@parleyhq/local',
  description: "Runs an app's Parley stack on this machine, with emulators and a sandbox of the chat service",
  node: '24',
  exports: {},
  data: {},
  declarations: {},
  commands: { 'parley-local': 'local/start.ts', 'parley-sandbox': 'sandbox/start.ts' },
  // Started by their paths.
  programs: ['local/emulators/guard.ts', 'local/stack/input-observer.ts'],
  imports: {
    '#console-page': 'sandbox/console/packaged-page.ts',
    '#runtime-client': 'local/functions/packaged-runtime-client.ts',
  },
  peers: [],
  sameVersion: ['@parleyhq/parley'],
  optional: ['@dynoxide/linux-x64'],
  async addFiles(folder) {
    const built = join(folder, 'built');
    await mkdir(built);
    await runtimeClientFile(built);
    for (const [path, text] of await consolePage()) {
      const file = join(built, 'console', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const samples = 'sandbox/console/samples';
    await cp(join(root, samples), join(folder, samples), { recursive: true });
    return ['built', ...(await addDocuments(root, folder, 'docs/getting-started.md', ['LICENSE']))];
  },
});
