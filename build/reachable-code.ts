import { builtinModules } from 'node:module';
import { build } from 'esbuild';

/** What programs load when they run. */
export interface ReachableCode {
  /** The paths of the package's own modules. */
  readonly files: ReadonlySet<string>;
  /** The names of the packages that they import, statically or dynamically. */
  readonly packages: ReadonlySet<string>;
}

/** Follows the imports of compiled modules, from a package's entries to every package that must be installed. */
export const reachableCode = async (folder: string, entries: readonly string[]): Promise<ReachableCode> => {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...entries],
    bundle: true,
    packages: 'external',
    external: ['#*'],
    platform: 'node',
    format: 'esm',
    outdir: 'unused',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const specifiers = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .flatMap(({ external, path }) => (external === true ? [path] : []));
  return { files: new Set(Object.keys(metafile.inputs)), packages: packagesIn(specifiers) };
};

/** Returns the names of the packages that specifiers name, without their subpaths. */
export const packagesIn = (specifiers: readonly string[]): ReadonlySet<string> =>
  new Set(
    specifiers
      .filter((name) => !/^(node:|#|\.)/.test(name) && !builtinModules.includes(name))
      .flatMap((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? []),
  );
