/** Writes docs/sbom.json and docs/third-party-licenses.md from the bundles and package-lock.json. Tests check them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { billOfMaterials, licensesPage } from '../lib/documents/bill-of-materials.ts';
import { bundleFunctions, integrities } from '../lib/documents/bundled-functions.ts';

const ROOT = join(import.meta.dirname, '..');
const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

const bundles = bundleFunctions(ROOT);
await writeFile(join(ROOT, 'docs/sbom.json'), billOfMaterials(bundles, version, integrities(ROOT)));
await writeFile(join(ROOT, 'docs/third-party-licenses.md'), licensesPage(bundles));
