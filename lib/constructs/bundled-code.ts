import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

/** A function's code, and the packages bundled into it. */
export interface Bundle {
  readonly code: string;
  readonly packages: readonly BundledPackage[];
}

/** Paths in messages and in the metafile are relative to Parley's root, regardless of the current folder. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles a function's entry and all of its imports, including the AWS SDK, into one ES module, `index.mjs`, and writes
 * the licenses of the packages beside it.
 *
 * Runs esbuild in this process. CDK's `NodejsFunction` starts npx for every function, which takes longer than bundling.
 * The asset's hash is computed from the output, so an edit that does not change the bundle deploys nothing.
 *
 * @param entry The absolute path of the TypeScript file that exports `handler`.
 * @throws Error with esbuild's messages if the bundle cannot be built.
 */
export function bundledCode(entry: string): Code {
  return Code.fromAsset(join(entry, '..'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires a fallback image, but the local bundling below never falls back to it.
      image: DockerImage.fromRegistry('unused'),
      local: {
        tryBundle(outputDirectory) {
          const { code, packages } = bundle(entry);
          writeFileSync(join(outputDirectory, 'index.mjs'), code);
          if (packages.length > 0) {
            writeFileSync(join(outputDirectory, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(packages));
          }
          return true;
        },
      },
    },
  });
}

/**
 * Bundles a function's entry in memory.
 *
 * @param entry The absolute path of the TypeScript file that exports `handler`.
 * @throws Error with esbuild's messages if the bundle cannot be built.
 */
export function bundle(entry: string): Bundle {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    outfile: 'index.mjs',
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Unlike CommonJS, ES modules can be tree-shaken. This halves the code to parse at a cold start.
    mainFields: ['module', 'main'],
    minify: true,
    // Keeps function names in stack traces. A source map would add line numbers, but also 10 ms to a cold start.
    keepNames: true,
    // esbuild includes its messages in the error that it throws, so printing them would repeat them.
    logLevel: 'silent',
  });
  const code = outputFiles.map(({ text }) => text).join('');
  return { code, packages: bundledPackages(metafile, ROOT) };
}
