import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

/**
 * A function's code: its entry and all that it imports in one ES module, `index.mjs`, the AWS SDK included.
 *
 * esbuild runs in this process: CDK's own `NodejsFunction` starts npx for every function, which takes longer than the
 * bundling. The hash is that of the output, so that an edit which changes nothing that runs deploys nothing.
 *
 * @param entry The TypeScript file that exports `handler`; an absolute path.
 * @throws Error with esbuild's messages when the entry or what it imports cannot be bundled.
 */
export function bundledCode(entry: string): Code {
  return Code.fromAsset(join(entry, '..'), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK asks for an image to fall back upon; the local bundling below never declines.
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
    // The packages' ES modules can be shaken, their CommonJS twins cannot: half the bytes to parse at a cold start.
    mainFields: ['module', 'main'],
    minify: true,
    // A stack trace names functions as they are written; a source map would tell lines too, for 10 ms of a cold start.
    keepNames: true,
    // esbuild's own messages are thrown, so that they are printed once.
    logLevel: 'silent',
  });
}
