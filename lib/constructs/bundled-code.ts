import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

/**
 * Bundles a function's entry and everything that it imports, the AWS SDK included, into one ES module, `index.mjs`.
 *
 * esbuild runs in this process: CDK's `NodejsFunction` starts npx for every function, which takes longer than bundling.
 * The asset's hash is that of the output, so an edit that does not change the bundle deploys nothing.
 *
 * @param entry The absolute path of the TypeScript file that exports `handler`.
 * @throws Error with esbuild's messages when the bundle cannot be built.
 */
export function bundledCode(entry: string): Code {
  return Code.fromAsset(join(entry, '..'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires a fallback image; the local bundling below never declines.
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
    // ES modules can be tree-shaken, their CommonJS twins cannot: half the bytes to parse at a cold start.
    mainFields: ['module', 'main'],
    minify: true,
    // Stack traces show the names of functions. A source map would add lines for 10 ms of a cold start.
    keepNames: true,
    // esbuild throws its messages, so printing them as well would repeat them.
    logLevel: 'silent',
  });
}
