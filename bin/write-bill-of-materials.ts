/**
 * Writes docs/third-party-licenses.md, which a test checks, and dist/sbom.json, which the package has too: what is in the
 * bundles, from the bundles and package-lock.json.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { billOfMaterials, licensesPage } from '../lib/documents/bill-of-materials.ts';
import { bundleFunctions, integrities } from '../lib/documents/bundled-functions.ts';

const ROOT = join(import.meta.dirname, '..');
const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

const bundles = bundleFunctions(ROOT);
await writeFile(join(ROOT, 'docs/third-party-licenses.md'), licensesPage(bundles));
await mkdir(join(ROOT, 'dist'), { recursive: true });
await writeFile(join(ROOT, 'dist/sbom.json'), billOfMaterials(bundles, version, integrities(ROOT)));
