import { mkdirSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync, type Metafile } from 'esbuild';
import type { ServiceName } from '../../lambdas/domain/metric-names.ts';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';
import { thirdPartyNotices } from './third-party-notices.ts';
import { writtenCode } from './written-code.ts';

/** A function's code, and the packages bundled into it. */
export interface Bundle {
  /** The text of each file, by its path. `index.js` exports the handler. */
  readonly files: ReadonlyMap<string, string>;
  readonly packages: readonly BundledPackage[];
}

/** Paths in messages and in the metafile are relative to Parley's root, regardless of the current folder. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const LAMBDAS = fileURLToPath(new URL('../../lambdas', import.meta.url));

/**
 * Returns the code of one of Parley's functions.
 *
 * @param files The text of the stage's own files, by name.
 */
export function functionCode(name: ServiceName, files: Readonly<Record<string, string>>): Code {
  return bundledCode(join(LAMBDAS, name, 'entry.ts'), files);
}

/**
 * Bundles a function's entry and all of its imports, including the AWS SDK, at synth.
 *
 * @param entry The absolute path of the TypeScript file that exports `handler`.
 * @throws Error with esbuild's messages if the bundle cannot be built.
 */
export function bundledCode(entry: string, files: Readonly<Record<string, string>> = {}): Code {
  return writtenCode(dirname(entry), (folder) => writeFunction(entry, folder), files);
}

/** Writes all files of a deployed function: its bundle, and the licenses of the packages in it. */
export function writeFunction(entry: string, folder: string): void {
  const { packages } = writeBundle(entry, folder);
  if (packages.length > 0) writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(packages));
}

/** Bundles a function's entry, writes the files to a folder, and returns the bundle. */
export function writeBundle(entry: string, folder: string): Bundle {
  const bundled = bundle(entry);
  for (const [file, text] of bundled.files) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return bundled;
}

/**
 * Bundles a function's entry in memory: `index.js`, and a file for each package that is imported only dynamically, at
 * the path where Node.js looks for it. A cold start loads `index.js` alone.
 *
 * Runs esbuild in this process. CDK's `NodejsFunction` starts npx for every function, which takes longer than bundling.
 *
 * @param entry The absolute path of the TypeScript file that exports `handler`.
 * @throws Error with esbuild's messages if the build fails, or if an imported package would be missing at run time.
 */
export function bundle(entry: string): Bundle {
  // Without this, the nearest package.json above the files would set their module type.
  const files = new Map([['package.json', '{"type":"commonjs"}\n']]);
  const metafiles: Metafile[] = [];
  const pending = new Map([['index.js', entry]]);
  for (const [file, source] of pending) {
    const whole = buildOnce(source);
    const dynamic = dynamicPackages(whole.metafile);
    const { text, metafile } = dynamic.size === 0 ? whole : buildOnce(source, [...dynamic.keys()]);
    files.set(file, text);
    metafiles.push(metafile);
    for (const name of externalPackages(metafile)) {
      const path = join(ROOT, dynamic.get(name) ?? '');
      const target = `node_modules/${name}/index.js`;
      if (!dynamic.has(name) || (pending.get(target) ?? path) !== path) {
        throw new Error(`${entry}: the bundle imports ${name}, which cannot be bundled into a file of its own.`);
      }
      pending.set(target, path);
    }
  }
  return { files, packages: bundledPackages(metafiles, ROOT) };
}

interface Built {
  readonly text: string;
  readonly metafile: Metafile;
}

const builtPackages = new Map<string, Built>();

/** Builds a package only once: several functions have the same ones, which do not change in the meantime. */
function buildOnce(entry: string, external: string[] = []): Built {
  const key = JSON.stringify([entry, external]);
  const built = builtPackages.get(key) ?? build(entry, external);
  if (entry.includes('node_modules/')) builtPackages.set(key, built);
  return built;
}

/** @param external The packages to leave out. */
function build(entry: string, external: string[]): Built {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    outfile: 'index.js',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node24',
    // As an ES module, it would load every export of the modules of Node.js that it imports, and so `fetch`.
    format: 'cjs',
    // Dynamic imports of modules of Node.js become calls of `require`, for the same reason. Node.js 24 has `using`.
    supported: { 'dynamic-import': false, using: true },
    // Unlike CommonJS, ES modules can be tree-shaken. This halves the code to parse at a cold start.
    mainFields: ['module', 'main'],
    external,
    alias: { '@aws-sdk/credential-provider-node': join(LAMBDAS, 'runtime/environment-credentials.ts') },
    minify: true,
    // Keeps function names in stack traces. A source map would add line numbers, but also 10 ms to a cold start.
    keepNames: true,
    // esbuild includes its messages in the error that it throws, so printing them would repeat them.
    logLevel: 'silent',
  });
  return { text: outputFiles.map(({ text }) => text).join(''), metafile };
}

/** Optional packages that are not installed. The code that imports them works without them. */
const OPTIONAL = new Set(['@aws-sdk/signature-v4-crt', 'aws-crt']);

/** Returns the packages that the output imports but does not contain. */
function externalPackages({ outputs }: Metafile): readonly string[] {
  return Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .flatMap(({ path, external }) => (external && !isBuiltin(path) && !OPTIONAL.has(path) ? [path] : []));
}

/**
 * Returns the packages that are imported only dynamically, and not from within such a package: the path of each module,
 * by the name that the import uses.
 */
function dynamicPackages({ inputs, outputs }: Metafile): ReadonlyMap<string, string> {
  const loaded = new Set(Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? []));
  for (const path of loaded) {
    for (const { path: imported, kind } of inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import') loaded.add(imported);
    }
  }
  const isPackage = (path: string) => path.includes('node_modules/');
  const imports = Object.entries(inputs).flatMap(([path, input]) =>
    loaded.has(path) || !isPackage(path) ? input.imports : [],
  );
  return new Map(
    imports.flatMap(({ original, path }) =>
      original !== undefined && PACKAGE_NAME.test(original) && isPackage(path) && !loaded.has(path)
        ? [[original, path]]
        : [],
    ),
  );
}

/** A package or a part of it, but not a path inside the importer's own package. */
const PACKAGE_NAME = /^[@a-z]/;
