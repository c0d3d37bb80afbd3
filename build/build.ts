/** Builds the packages into `dist`, and with `--pack` an archive of each beside them, with the hashes of the archives. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildPackage } from './build-package.ts';
import { readRootManifest } from './manifest.ts';
import { parley } from './parley.ts';
import { parleyLocal } from './parley-local.ts';

const ROOT = join(import.meta.dirname, '..');

const { values } = parseArgs({
  options: {
    pack: { type: 'boolean', default: false },
    out: { type: 'string', default: join(ROOT, 'dist') },
    // npm publishes with provenance only what names the repository that it is built in.
    repository: { type: 'string' },
  },
});

/** Packs a built package. Returns the name of the archive, which npm prints. */
const pack = async (folder: string): Promise<string> => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', values.out], {
    cwd: folder,
  });
  return stdout.trim();
};

/** Returns a line as `sha512sum --check` reads it. */
const checksum = async (archive: string): Promise<string> => {
  const hash = createHash('sha512').update(await readFile(join(values.out, archive)));
  return `${hash.digest('hex')}  ${archive}`;
};

const manifest = await readRootManifest(ROOT);
await mkdir(values.out, { recursive: true });
const checksums: string[] = [];
for (const recipe of [parley(ROOT), parleyLocal(ROOT)]) {
  const folder = join(values.out, recipe.name);
  await buildPackage(ROOT, recipe, { ...manifest, repository: values.repository }, folder);
  const built = values.pack ? join(values.out, await pack(folder)) : folder;
  console.log(relative(process.cwd(), built));
  if (values.pack) checksums.push(await checksum(relative(values.out, built)));
}
if (values.pack) {
  await writeFile(join(values.out, 'SHA512SUMS'), `${checksums.join('\n')}\n`);
  console.log(`\nSHA512SUMS:\n${checksums.join('\n')}`);
}
