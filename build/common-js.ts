import { build } from 'esbuild';
import { compiled } from './compile.ts';
import type { PackageRecipe } from './package-recipe.ts';

/** Returns the path of the CommonJS module of an export. It is as deep as the modules that find files by their own path. */
export const commonJsOf = (file: string): string => file.replace(/([^/]+)\.ts$/, 'cjs/$1.cjs');

/**
 * Writes a CommonJS module for each export of a package, beside its ES modules: Jest and TypeScript's older module
 * settings, which many CDK apps use, cannot load ES modules from a package.
 *
 * @param folder The folder of the compiled modules.
 */
export const writeCommonJs = async (folder: string, recipe: PackageRecipe): Promise<readonly string[]> => {
  const files = Object.values(recipe.exports);
  await build({
    absWorkingDir: folder,
    entryPoints: files.map((file) => ({ in: compiled(file), out: commonJsOf(file).replace(/\.cjs$/, '') })),
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    packages: 'external',
    alias: {
      ...Object.fromEntries(Object.entries(recipe.imports).map(([name, file]) => [name, `./${compiled(file)}`])),
      // zod exports both files of a language by their names, and not by a condition.
      'zod/v4/locales/en.js': 'zod/v4/locales/en.cjs',
    },
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    logLevel: 'silent',
  });
  return files.map(commonJsOf);
};
