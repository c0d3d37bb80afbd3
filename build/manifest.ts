import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { commonJsOf } from './common-js.ts';
import { compiled, declaredIn } from './compile.ts';
import { commonJsDeclarations } from './declarations.ts';
import type { PackageRecipe } from './package-recipe.ts';

const versions = z.record(z.string(), z.string());

const rootManifest = z.object({
  version: z.string(),
  license: z.string(),
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

/** The parts of the repository's package.json that the packages take over. */
export interface RootManifest extends Readonly<z.infer<typeof rootManifest>> {
  /** The address of the repository that the packages are built in. */
  readonly repository?: string | undefined;
}

export const readRootManifest = async (root: string): Promise<RootManifest> =>
  rootManifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));

const installed = z.object({
  peerDependencies: versions.default({}),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).default({}),
});

/** Returns the packages together with their peers, which whoever depends on them must provide. */
export const withPeers = async (root: string, packages: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  const all = new Set(packages);
  for (const name of all) {
    const text = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8');
    const { peerDependencies, peerDependenciesMeta } = installed.parse(JSON.parse(text));
    for (const peer of Object.keys(peerDependencies)) if (peerDependenciesMeta[peer]?.optional !== true) all.add(peer);
  }
  return all;
};

/**
 * Returns a package's manifest, with the exact versions that the repository is tested with.
 *
 * @param packages The packages that the code and the declarations import.
 * @param files The top-level names of the package's files.
 * @throws Error if the repository does not declare one of the packages.
 */
export const manifestOf = (
  recipe: PackageRecipe,
  root: RootManifest,
  packages: ReadonlySet<string>,
  files: readonly string[],
): Record<string, unknown> => {
  const { name, description, node, peers, sameVersion, optional } = recipe;
  const { version, license, repository, dependencies, devDependencies, optionalDependencies } = root;
  const versionOf: Readonly<Record<string, string>> = { ...devDependencies, ...optionalDependencies, ...dependencies };
  const exact = (names: readonly string[]) =>
    Object.fromEntries(
      names.toSorted().map((dependency) => {
        const found = versionOf[dependency];
        if (found === undefined) throw new Error(`${name} imports ${dependency}, which package.json does not declare.`);
        return [dependency, found];
      }),
    );
  return {
    name,
    version,
    description,
    license,
    ...(repository !== undefined && { repository: { type: 'git', url: repository } }),
    type: 'module',
    engines: { node: `>=${node}` },
    bin: Object.fromEntries(Object.keys(recipe.commands).map((command) => [command, launcherPath(command)])),
    exports: {
      ...Object.fromEntries(
        Object.entries(recipe.exports).map(([path, file]) => [
          path,
          {
            import: { types: `./${declaredIn(file)}`, default: `./${compiled(file)}` },
            require: { types: `./${commonJsDeclarations(declaredIn(file))}`, default: `./${commonJsOf(file)}` },
          },
        ]),
      ),
      ...mapValues(recipe.data, (file) => `./${file}`),
      './package.json': './package.json',
    },
    ...withoutExports(recipe),
    ...present(
      'imports',
      mapValues(recipe.imports, (file) => `./${compiled(file)}`),
    ),
    files: files.toSorted(),
    dependencies: exact([...packages].filter((dependency) => !peers.includes(dependency))),
    ...present('peerDependencies', {
      ...mapValues(exact(peers), (range) => `^${range}`),
      ...Object.fromEntries(sameVersion.map((peer) => [peer, version])),
    }),
    ...present('optionalDependencies', exact(optional)),
  };
};

/** What TypeScript reads where it ignores `exports`, which it does unless an app sets `moduleResolution`. */
const withoutExports = ({ exports, data }: PackageRecipe): Record<string, unknown> => {
  const { '.': main, ...others } = exports;
  if (main === undefined) return {};
  const declarations = mapValues(others, (file) => commonJsDeclarations(declaredIn(file)));
  return {
    main: commonJsOf(main),
    types: commonJsDeclarations(declaredIn(main)),
    typesVersions: {
      '*': Object.fromEntries(
        Object.entries({ ...declarations, ...data }).map(([path, file]) => [path.replace('./', ''), [file]]),
      ),
    },
  };
};

/** Returns the path of a command's launcher in its package. */
export const launcherPath = (command: string): string => `bin/${command}.js`;

const mapValues = (values: Readonly<Record<string, string>>, map: (value: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));

/** Leaves out a field without entries. */
const present = (field: string, values: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.keys(values).length === 0 ? {} : { [field]: values };
