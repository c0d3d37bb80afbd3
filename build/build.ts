/** Builds the packages into `dist`, and with `--pack` an archive of each beside them. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildPackage } from './build-package.ts';
import { readRootManifest } from './manifest.ts';
import { parley } from './parley.ts';
import { parleyLocal } from './parley-local.ts';

const ROOT = join(import.meta.dirname, '..');

const { values } = parseArgs({
  options: { pack: { type: 'boolean', default: false }, out: { type: 'string', default: join(ROOT, 'dist') } },
});

const manifest = await readRootManifest(ROOT);
await mkdir(values.out, { recursive: true });
for (const recipe of [parley(ROOT), parleyLocal(ROOT)]) {
  const folder = join(values.out, recipe.name);
  await buildPackage(ROOT, recipe, manifest, folder);
  if (!values.pack) {
    console.log(relative(process.cwd(), folder));
    continue;
  }
  // npm prints the name of the archive.
  const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', values.out], {
    cwd: folder,
  });
  console.log(relative(process.cwd(), join(values.out, stdout.trim())));
}
