import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnce, referenceFile, runTool } from '../references/installed-tool.ts';

/**
 * Installs AWS's runtime interface client, which Lambda's own Node.js runtime consists of, and compiles its native module.
 * Returns the path of its script.
 *
 * @throws ToolMissingError if a tool is missing.
 * Source: https://github.com/aws/aws-lambda-nodejs-runtime-interface-client
 */
export const installRuntimeInterfaceClient = async (cacheFolder: string): Promise<string> => {
  const needs = 'aws-lambda-ric needs Linux, cmake, g++, make, and Python 3 to compile its native module';
  const manifest = referenceFile('aws-lambda-ric/package.json');
  const folder = await installOnce(cacheFolder, 'aws-lambda-ric', await readFile(manifest, 'utf8'), async (into) => {
    for (const program of ['cmake', 'g++', 'make', 'python3']) await runTool(needs, [program, '--version']);
    await copyFile(manifest, join(into, 'package.json'));
    await runTool(needs, ['npm', 'install', '--no-audit', '--no-fund', '--foreground-scripts'], into);
  });
  return join(folder, 'node_modules', 'aws-lambda-ric', 'index.mjs');
};
