import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

/**
 * Bundles a function's entry and all of its imports, including the AWS SDK, into one ES module, `index.mjs`.
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
          bundle(entry, join(outputDirectory, 'index.mjs'));
          return true;
        },
      },
    },
  });
}

function bundle(entry: string, outfile: string): void {
  buildSync({
    entryPoints: [entry],
    outfile,
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
}
