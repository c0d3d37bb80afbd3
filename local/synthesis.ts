import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
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

/** The URLs of a run that the stack's settings must contain. */
export interface RunUrls {
  readonly chatServiceUrl: string;
  /** Where the sandbox publishes its signing keys; undefined without a sandbox, or if the webhook needs no keys. */
  readonly jwksUrl: string | undefined;
}

/** Adds a run's URLs to settings that override those of a stage. */
export const settingsWithUrls = (
  settings: Readonly<Record<string, unknown>>,
  { chatServiceUrl, jwksUrl }: RunUrls,
): Record<string, unknown> => {
  const chatService = { ...fieldsOf(settings.chatService), baseUrl: chatServiceUrl };
  if (jwksUrl === undefined) return { ...settings, chatService };
  const webhook = fieldsOf(settings.webhook);
  return { ...settings, chatService, webhook: { ...webhook, auth: { ...fieldsOf(webhook.auth), jwksUrl } } };
};

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Returns the path of a stack's template in a folder with a synthesized app. */
export const templateFile = (stackName: string, outdir: string): string => join(outdir, `${stackName}.template.json`);

/**
 * Synthesizes the app into a folder, like `cdk synth`: the template and the bundled functions.
 *
 * @throws LocalError with the app's own message, if it rejects its settings or cannot bundle a function.
 */
export const synthesize = async (outdir: string, context: Readonly<Record<string, unknown>>): Promise<void> => {
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

/** The synthesized settings contain the sandbox's port, so a run that reuses them must use the same one. */
const reusableSynthesis = z.object({ sandboxPort: z.int() });
const REUSABLE_FILE = 'local-run.json';

/** Reads what a previous run left in the folder; undefined if there was none. */
export const readReusableSynthesis = async (outdir: string) => {
  const json = await readFile(join(outdir, REUSABLE_FILE), 'utf8').catch(() => undefined);
  return json === undefined ? undefined : reusableSynthesis.parse(JSON.parse(json));
};

/** Makes a synthesized app reusable by later runs. */
export const writeReusableSynthesis = (outdir: string, synthesis: z.output<typeof reusableSynthesis>): Promise<void> =>
  writeFile(join(outdir, REUSABLE_FILE), JSON.stringify(synthesis));
