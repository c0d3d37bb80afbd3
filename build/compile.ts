import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PackageRecipe } from './package-recipe.ts';

/** Returns the TypeScript modules that a package starts from. */
export const entriesOf = ({ exports, commands, programs, imports }: PackageRecipe): readonly string[] => [
  ...new Set([...Object.values(exports), ...Object.values(commands), ...programs, ...Object.values(imports)]),
];

/**
 * Compiles a package's modules and everything that they import to JavaScript and declarations, in the repository's folders.
 *
 * @throws Error with the compiler's messages if there are any.
 */
export const compile = async (root: string, recipe: PackageRecipe, outDir: string): Promise<void> => {
  const config = `${outDir}.tsconfig.json`;
  await writeFile(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: Object.keys(recipe.exports).length > 0,
        rewriteRelativeImportExtensions: true,
        rootDir: root,
        // The output may be outside the repository.
        typeRoots: [join(root, 'node_modules/@types')],
        outDir,
        // Without them, the repository's own modules behind `#` names would be compiled into the package.
        paths: Object.fromEntries(Object.entries(recipe.imports).map(([name, file]) => [name, [join(root, file)]])),
      },
      include: [],
      files: entriesOf(recipe).map((entry) => join(root, entry)),
    }),
  );
  try {
    await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config]);
  } catch (error) {
    // The compiler prints its messages to standard output.
    if (!(error instanceof Error && 'stdout' in error)) throw error;
    throw new Error(`${recipe.name} could not be compiled.\n${String(error.stdout)}`);
  } finally {
    await rm(config);
  }
};

/** Returns the path of a TypeScript module's declarations. */
export const declaredIn = (file: string): string => file.replace(/\.ts$/, '.d.ts');

/** Returns the path of the module that a TypeScript module is compiled to. */
export const compiled = (file: string): string => file.replace(/\.ts$/, '.js');
