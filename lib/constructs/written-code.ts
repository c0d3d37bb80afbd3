import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';

/**
 * Returns a function's code as an asset that is written at synth. Its hash is computed from the written files, so an edit
 * that does not change them deploys nothing.
 *
 * @param source The absolute path of a folder that exists. CDK requires one.
 * @param write Writes the files that are the same in all stages into a folder.
 * @param files The text of the stage's own files, by name.
 */
export function writtenCode(
  source: string,
  write: (folder: string) => void,
  files: Readonly<Record<string, string>>,
): Code {
  return Code.fromAsset(source, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // CDK requires a fallback image, but the local bundling below never falls back to it.
      image: DockerImage.fromRegistry('unused'),
      local: {
        tryBundle(outputDirectory) {
          write(outputDirectory);
          for (const [name, text] of Object.entries(files)) writeFileSync(join(outputDirectory, name), text);
          return true;
        },
      },
    },
  });
}
