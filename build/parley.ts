import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeFunction } from '../lib/constructs/bundled-code.ts';
import { billOfMaterials } from '../lib/documents/bill-of-materials.ts';
import { bundleFunctions, integrities } from '../lib/documents/bundled-functions.ts';
import { publishedTypes } from '../lib/documents/published-types.ts';
import { addDocuments } from './documents.ts';
import type { PackageRecipe } from './package-recipe.ts';

/** The package of the constructs, the events, and the operator's command. */
export const parley = (root: string): PackageRecipe => ({
  name: '@parleyhq/parley',
  description:
    "CDK constructs for the customer's side of a business-messaging chat service, and the command to operate it",
  node: '22.15',
  exports: { '.': 'lib/index.ts', './events': 'lib/events.ts' },
  data: { './events.schema.json': 'docs/events.schema.json' },
  declarations: { 'lib/events/published-types.ts': publishedTypes },
  commands: { parley: 'cli/parley.ts' },
  programs: [],
  imports: { '#function-code': 'lib/constructs/packaged-code.ts' },
  peers: ['aws-cdk-lib', 'constructs'],
  sameVersion: [],
  optional: [],
  async addFiles(folder, version) {
    for (const entry of globSync('lambdas/*/entry.ts', { cwd: root })) {
      writeFunction(join(root, entry), join(folder, 'functions', basename(dirname(entry))));
    }
    await writeFile(join(folder, 'sbom.json'), billOfMaterials(bundleFunctions(root), version, integrities(root)));
    return ['functions', 'sbom.json', ...(await addDocuments(root, folder, 'docs/library.md'))];
  },
});
