import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { bundle } from '../constructs/bundled-code.ts';
import type { BundledPackages, IntegrityOf } from './bill-of-materials.ts';

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) });

/** Bundles every function and returns the packages that each bundle contains. */
export function bundleFunctions(root: string): BundledPackages {
  const entries = globSync('lambdas/*/entry.ts', { cwd: root }).toSorted();
  return Object.fromEntries(entries.map((entry) => [basename(dirname(entry)), bundle(join(root, entry)).packages]));
}

/**
 * Reads the hashes of the packages' archives from package-lock.json.
 *
 * @throws Error from the returned function if the lock file does not contain the package.
 */
export function integrities(root: string): IntegrityOf {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  return ({ name, folder }) => {
    const integrity = packages[relative(root, folder).replaceAll('\\', '/')]?.integrity;
    if (integrity === undefined) throw new Error(`package-lock.json has no integrity for ${name}.`);
    return integrity;
  };
}
