import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

export const TUTORIAL_FUNCTIONS = ['receive', 'send', 'publish', 'manage'] as const;
export type TutorialFunction = (typeof TUTORIAL_FUNCTIONS)[number];

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Bundles a function of the tutorial in memory, into what CDK's `NodejsFunction` writes as index.js with its defaults for
 * Node.js 24 and `bundleAwsSDK: true`: CommonJS, not minified, and with the main fields of esbuild for Node.js.
 *
 * The SDK is bundled, as in Parley, so that only the code differs.
 *
 * Source: https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.aws_lambda_nodejs-readme.html
 */
export const bundleTutorial = (name: TutorialFunction): string =>
  buildSync({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    absWorkingDir: ROOT,
    outfile: 'index.js',
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
  })
    .outputFiles.map(({ text }) => text)
    .join('');

/** Returns a function's bundle as an asset. `NodejsFunction` would start npx for every function. */
export const tutorialCode = (name: TutorialFunction): Code =>
  Code.fromAsset(import.meta.dirname, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires a fallback image, but the local bundling below never falls back to it.
      image: DockerImage.fromRegistry('unused'),
      // Not run either. CDK bundles only once for the same folder and options, so the options must differ.
      command: [name],
      local: {
        tryBundle(outputDirectory) {
          writeFileSync(join(outputDirectory, 'index.js'), bundleTutorial(name));
          return true;
        },
      },
    },
  });
