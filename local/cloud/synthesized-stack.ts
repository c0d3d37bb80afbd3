import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SETTINGS_METADATA } from '../../lib/settings/local-chat-service.ts';
import { isObject, parseJson } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';

/** A stack of a synthesized app. */
export interface SynthesizedStack {
  readonly stackName: string;
  /** The path of its template, in the folder of its assets. */
  readonly templateFile: string;
  /** The settings that a `ParleyStack` writes into its template, unchecked. Undefined for any other stack. */
  readonly settings: unknown;
}

/** Source: aws-cdk-lib/cloud-assembly-schema */
const manifest = z.looseObject({
  artifacts: z
    .record(z.string(), z.looseObject({ type: z.string(), properties: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
});
const stackProperties = z.looseObject({ templateFile: z.string(), stackName: z.string().optional() });
const assemblyProperties = z.looseObject({ directoryName: z.string() });

/**
 * Finds the stack to run in the folder of a synthesized app, also within a `Stage`.
 *
 * @param requested The stack's name. Undefined for the usual one, or the app's only `ParleyStack`.
 * @param usual The name of the stack of a stage.
 * @throws LocalError that names the app's stacks if it is not clear which one to run.
 */
export const findStack = async (
  outdir: string,
  requested: string | undefined,
  usual: string,
): Promise<SynthesizedStack> => {
  const stacks = await stacksIn(outdir);
  const found = choose(stacks, requested, usual);
  if (typeof found === 'string') throw new LocalError(found);
  return found;
};

const stacksIn = async (outdir: string): Promise<readonly SynthesizedStack[]> => {
  const text = await readFile(join(outdir, 'manifest.json'), 'utf8').catch(() => '');
  const { data } = manifest.safeParse(parseJson(text));
  if (data === undefined) {
    throw new LocalError(
      `The app synthesized nothing into ${outdir}. Its code must call app.synth() and must not set outdir.`,
    );
  }
  const stacks: SynthesizedStack[] = [];
  for (const [id, { type, properties }] of Object.entries(data.artifacts)) {
    if (type === 'cdk:cloud-assembly') {
      stacks.push(...(await stacksIn(join(outdir, assemblyProperties.parse(properties).directoryName))));
    }
    if (type !== 'aws:cloudformation:stack') continue;
    const { stackName = id, templateFile } = stackProperties.parse(properties);
    const file = join(outdir, templateFile);
    stacks.push({ stackName, templateFile: file, settings: await readSettings(file) });
  }
  return stacks;
};

const readSettings = async (file: string): Promise<unknown> => {
  const { Metadata: metadata } = Object(parseJson(await readFile(file, 'utf8')));
  return isObject(metadata) ? metadata[SETTINGS_METADATA] : undefined;
};

/** Returns the stack to run, or a sentence that says why there is none. */
const choose = (
  stacks: readonly SynthesizedStack[],
  requested: string | undefined,
  usual: string,
): SynthesizedStack | string => {
  const parleys = stacks.filter(({ settings }) => settings !== undefined);
  const names = parleys.map(({ stackName }) => stackName).join(', ');
  const list = parleys.length === 0 ? '' : ` Those that can be run: ${names}.`;
  if (requested !== undefined) {
    const found = stacks.find(({ stackName }) => stackName === requested);
    if (found?.settings !== undefined) return found;
    return found ? `The stack ${requested} is not a ParleyStack.${list}` : `The app has no stack ${requested}.${list}`;
  }
  const [first, second] = parleys;
  if (first === undefined) {
    return "The app has no ParleyStack. The local run cannot run Parley's constructs in other stacks.";
  }
  if (second === undefined) return first;
  const found = parleys.find(({ stackName }) => stackName === usual);
  return found ?? `The app has several ParleyStacks, and none is named ${usual}. Select one with --stack: ${names}.`;
};
