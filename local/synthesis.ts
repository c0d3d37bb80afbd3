import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { LocalError } from './local-error.ts';

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

/** The context of cdk.json: the stages' settings and CDK's own switches. */
export const readCdkContext = async (): Promise<Record<string, unknown>> =>
  cdkJson.parse(JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8'))).context;

/**
 * Synthesizes the app, as `cdk synth` does, into a folder: the template and the bundled functions.
 *
 * @returns The template's file.
 * @throws LocalError with what the app itself says, when it refuses its settings or cannot bundle a function.
 */
export const synthesize = async (
  stackName: string,
  outdir: string,
  context: Readonly<Record<string, unknown>>,
): Promise<string> => {
  const app = spawn(process.execPath, [join(ROOT, 'bin', 'parley.ts')], {
    cwd: ROOT,
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      // The metadata names the folder of a function's code; the CDK command asks for it in the same way.
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, 'aws:cdk:enable-asset-metadata': true }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  app.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const code = await new Promise((resolve) => {
    app.once('close', resolve).once('error', (error) => {
      said += error.message;
      resolve(1);
    });
  });
  if (code !== 0) throw new LocalError(`The stack cannot be synthesized. ${said.trim()}`);
  return join(outdir, `${stackName}.template.json`);
};
