import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');

const versions = z.record(z.string(), z.string());

const manifest = z
  .object({
    dependencies: versions,
    devDependencies: versions,
    optionalDependencies: versions,
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

const lockEntry = z.object({
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  link: z.boolean().optional(),
});

type LockEntry = z.infer<typeof lockEntry>;

const { packages } = z
  .object({ packages: z.record(z.string(), lockEntry) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));

/** Returns what is wrong with an entry of the lock file, or undefined. */
const faultOf = (path: string, entry: LockEntry): string | undefined => {
  if (path === '') return undefined;
  if (entry.inBundle === true) {
    const parent = packages[path.slice(0, path.lastIndexOf('/node_modules/'))];
    return parent?.integrity === undefined ? 'is in the archive of a package without integrity' : undefined;
  }
  if (entry.link === true) return 'links to a folder';
  // Without an address, npm asks the configured registry, such as a company's mirror; the hash pins what it returns.
  if (entry.resolved?.startsWith('https://registry.npmjs.org/') === false) return 'is not from the npm registry';
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) return 'has no SHA-512 integrity';
  if (entry.hasInstallScript === true && manifest.allowScripts[nameAt(path)] !== false) {
    return 'has an install script that package.json does not deny';
  }
  return undefined;
};

const nameAt = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('package-lock.json', () => {
  it('has the SHA-512 hash of every package, all from the npm registry and without install scripts', () => {
    const faults = Object.entries(packages).flatMap(([path, entry]) => faultOf(path, entry)?.concat(`: ${path}`) ?? []);
    expect(faults).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(100);
  });

  it.each<[fault: string, entry: LockEntry]>([
    ['has no SHA-512 integrity', {}],
    ['has no SHA-512 integrity', { resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz' }],
    ['has no SHA-512 integrity', { integrity: 'sha1-YQ==' }],
    ['is not from the npm registry', { resolved: 'https://registry.npmjs.org.example/a.tgz', integrity: integrity() }],
    ['is not from the npm registry', { resolved: 'git+ssh://git@github.com/a/a.git#1', integrity: integrity() }],
    ['links to a folder', { resolved: '../a', link: true }],
    ['is in the archive of a package without integrity', { inBundle: true }],
    ['has an install script that package.json does not deny', { integrity: integrity(), hasInstallScript: true }],
  ])('is rejected if an entry %s', (fault, entry) => {
    expect(faultOf('node_modules/a', entry)).toBe(fault);
  });
});

describe('package.json', () => {
  it('names the exact version of every package, and lists it once', () => {
    const entries = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies].flatMap(
      Object.entries,
    );
    expect(entries.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
  });

  it('names the version of dynoxide that docs/local-run.md and a local run suggest for other platforms', () => {
    const version = manifest.optionalDependencies['@dynoxide/linux-x64'];
    const suggested = readFileSync(join(ROOT, 'docs/local-run.md'), 'utf8').match(/@dynoxide\/[a-z0-9-]+@[\d.]+\d/g);
    expect(suggested).toEqual([`@dynoxide/darwin-arm64@${version}`]);
    expect(readFileSync(join(ROOT, 'local/emulators/dynamodb.ts'), 'utf8')).toContain(
      `const DYNOXIDE_VERSION = '${version}';`,
    );
  });

  it('denies only install scripts that exist', () => {
    const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(scripts.map(([path]) => nameAt(path))).toEqual(Object.keys(manifest.allowScripts));
  });
});

/** What deploys and operates Parley, which must work after `npm ci --omit=dev`. */
const PRODUCTION = [
  'bin/parley.ts',
  'lib/index.ts',
  'cli/parley.ts',
  ...globSync('lambdas/*/entry.ts', { cwd: ROOT }),
  // Replaces a package in the bundles, so nothing imports it.
  'lambdas/runtime/environment-credentials.ts',
];

/** What only runs while developing: the local run, the sandbox with its console, and generators of documents. */
const DEVELOPMENT = [
  'local/start.ts',
  'local/demo.ts',
  'sandbox/start.ts',
  'sandbox/console/page/main.tsx',
  ...globSync('bin/write-*.ts', { cwd: ROOT }),
];

/** Production dependencies that no code imports, and what needs them. */
const NOT_IMPORTED: Readonly<Record<string, string>> = {
  'aws-cdk': 'npx cdk',
  commander: 'peer dependency of @commander-js/extra-typings',
};

/** Returns the packages whose values are imported by a program, in any of its files. */
const packagesOf = (entryPoints: readonly string[]): readonly string[] => {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    loader: { '.css': 'empty' },
    outdir: 'unused',
    write: false,
    metafile: true,
  });
  const specifiers = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external === true && !path.startsWith('node:') && !builtinModules.includes(path))
    .map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  return [...new Set(specifiers)].toSorted();
};

describe('the dependencies', () => {
  it('are exactly what deploying and operating Parley needs', () => {
    const needed = [...packagesOf(PRODUCTION), ...Object.keys(NOT_IMPORTED)].toSorted();
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual(needed);
  });

  it('and the development dependencies include everything that a local run and the sandbox need', () => {
    const declared = { ...manifest.dependencies, ...manifest.devDependencies };
    const needed = packagesOf(DEVELOPMENT);
    expect(needed).toContain('preact');
    expect(needed.filter((name) => !(name in declared))).toEqual([]);
  });
});

/** Returns a valid integrity, so that a case breaks one thing. */
function integrity(): string {
  return `sha512-${'A'.repeat(86)}==`;
}
