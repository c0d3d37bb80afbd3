import { spawn } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isObject } from './json.ts';
import { LocalError } from './local-error.ts';

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()).default({}) });

/** Reads the context of cdk.json: the stages' settings and CDK's feature flags. */
export const readCdkContext = async (): Promise<Record<string, unknown>> =>
  cdkJson.parse(JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8'))).context;

/**
 * A placeholder for the sandbox's origin in the synthesized settings. The sandbox's port is known only when it runs,
 * and with a placeholder, several runs can use the same app. No other URL starts with it, as ports have at most five
 * digits.
 */
const SANDBOX_ORIGIN = 'http://127.0.0.1:65535';

/** Adds the sandbox's URLs to settings that override those of a stage. */
export const settingsForSandbox = (
  settings: Readonly<Record<string, unknown>>,
  { jwksPath }: { readonly jwksPath: string | undefined },
): Record<string, unknown> => {
  const chatService = { ...fieldsOf(settings.chatService), baseUrl: SANDBOX_ORIGIN };
  if (jwksPath === undefined) return { ...settings, chatService };
  const { auth, ...webhook } = fieldsOf(settings.webhook);
  const jwksUrl = `${SANDBOX_ORIGIN}${jwksPath}`;
  return { ...settings, chatService, webhook: { ...webhook, auth: { ...fieldsOf(auth), jwksUrl } } };
};

/** Adds a chat service's URL to settings that override those of a stage. */
export const settingsForService = (
  settings: Readonly<Record<string, unknown>>,
  baseUrl: string,
): Record<string, unknown> => ({ ...settings, chatService: { ...fieldsOf(settings.chatService), baseUrl } });

/** Replaces the placeholder in a synthesized template with the origin of the running sandbox. */
export const withSandboxOrigin = (template: string, origin: string | undefined): string =>
  origin === undefined ? template : template.replaceAll(SANDBOX_ORIGIN, origin);

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Returns the path of a stack's template in the folder of a synthesized app. */
export const templateFile = (stackName: string, outdir: string): string => join(outdir, `${stackName}.template.json`);

/**
 * Synthesizes the app into a folder, like `cdk synth`: the template and the bundled functions.
 *
 * @throws LocalError with the app's message if it rejects its settings or cannot bundle a function.
 */
const synthesize = async (outdir: string, context: Readonly<Record<string, unknown>>): Promise<void> => {
  const app = spawn(process.execPath, [join(ROOT, 'bin', 'parley.ts')], {
    cwd: ROOT,
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      // Makes the metadata name the folder of a function's code. The CDK command sets it, too.
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, 'aws:cdk:enable-asset-metadata': true }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  app.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((resolve) => {
    app.once('close', resolve).once('error', (error) => {
      output += error.message;
      resolve(1);
    });
  });
  if (code !== 0) throw new LocalError(`The stack could not be synthesized. ${output.trim()}`);
};

/** The file in the app's folder that records what the app was synthesized from. */
const INPUT_FILE = 'synthesized-from.json';

/** Synthesizes the app unless the folder already contains one that was synthesized from the same context. */
export const synthesizeOnce = async (outdir: string, context: Readonly<Record<string, unknown>>): Promise<void> => {
  const input = JSON.stringify(context);
  const file = join(outdir, INPUT_FILE);
  if ((await readFile(file, 'utf8').catch(() => undefined)) === input) return;
  await synthesize(outdir, context);
  // Other processes wait for the file and must never read a part of it.
  await writeFile(`${file}.new`, input);
  await rename(`${file}.new`, file);
};
