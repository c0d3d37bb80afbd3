import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeCommonJs } from './common-js.ts';
import { compile, compiled, declaredIn, entriesOf } from './compile.ts';
import { publishDeclarations } from './declarations.ts';
import { launcher } from './launcher.ts';
import { launcherPath, manifestOf, type RootManifest, withPeers } from './manifest.ts';
import type { PackageRecipe } from './package-recipe.ts';
import { reachableCode } from './reachable-code.ts';

/**
 * Builds a package into a folder: what its entries load when they run, the declarations of its exports, the programs of
 * its commands, and its manifest. What only types need stays out.
 */
export const buildPackage = async (
  root: string,
  recipe: PackageRecipe,
  manifest: RootManifest,
  folder: string,
): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const output = await mkdtemp(`${folder}.compiled-`);
  try {
    await compile(root, recipe, output);
    const code = await reachableCode(output, entriesOf(recipe).map(compiled));
    for (const [file, write] of Object.entries(recipe.declarations)) {
      await writeFile(join(output, declaredIn(file)), write());
    }
    const declarations = await publishDeclarations(output, Object.values(recipe.exports).map(declaredIn));
    const commonJs = await writeCommonJs(output, recipe);
    const files = [...code.files, ...commonJs, ...declarations.files];
    for (const file of files) await cp(join(output, file), join(folder, file));
    const added = await recipe.addFiles(folder, manifest.version);
    for (const [command, file] of Object.entries(recipe.commands)) {
      const target = `../${compiled(file)}`;
      await writeProgram(join(folder, launcherPath(command)), launcher(command, { node: recipe.node, target }));
    }
    const topLevel = new Set([...files.map((file) => file.split('/')[0] ?? file), ...added, 'bin']);
    topLevel.delete('package.json');
    const packages = await withPeers(root, new Set([...code.packages, ...declarations.packages]));
    const text = JSON.stringify(manifestOf(recipe, manifest, packages, [...topLevel]), undefined, 2);
    await writeFile(join(folder, 'package.json'), `${text}\n`);
  } finally {
    await rm(output, { recursive: true });
  }
};

const writeProgram = async (file: string, text: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
};
