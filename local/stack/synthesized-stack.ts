import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';

/** A stack of a synthesized app. */
export interface SynthesizedStack {
  readonly stackName: string;
  /** The path of its template. */
  readonly templateFile: string;
}

/** Source: aws-cdk-lib/cloud-assembly-schema */
const manifest = z.looseObject({
  artifacts: z
    .record(z.string(), z.looseObject({ type: z.string(), properties: z.record(z.string(), z.unknown()).default({}) }))
    .default({}),
});
const stackProperties = z.looseObject({ templateFile: z.string(), stackName: z.string().optional() });

/**
 * Finds a stack in the folder of a synthesized app.
 *
 * @throws LocalError that names the app's stacks if it has no such stack.
 */
export const findStack = async (outdir: string, stackName: string): Promise<SynthesizedStack> => {
  const text = await readFile(join(outdir, 'manifest.json'), 'utf8').catch(() => '');
  const { data } = manifest.safeParse(parseJson(text));
  if (data === undefined) {
    throw new LocalError(
      `The app synthesized nothing into ${outdir}. Its code must call app.synth() and must not set outdir.`,
    );
  }
  const stacks = Object.entries(data.artifacts).flatMap(([id, { type, properties }]): SynthesizedStack[] => {
    if (type !== 'aws:cloudformation:stack') return [];
    const { stackName: name = id, templateFile } = stackProperties.parse(properties);
    return [{ stackName: name, templateFile: join(outdir, templateFile) }];
  });
  const found = stacks.find((stack) => stack.stackName === stackName);
  if (found !== undefined) return found;
  const names = stacks.map((stack) => stack.stackName);
  throw new LocalError(`The app has no stack ${stackName}. ${adviceFor(names)}`);
};

const adviceFor = (names: readonly string[]): string => {
  const [first, ...others] = names;
  if (first === undefined) return 'It has no stacks at all.';
  if (others.length === 0) return `Its only stack is ${first}. To run it, use --stack ${first}.`;
  return `Its stacks are ${names.join(', ')}. To run one of them, use --stack NAME.`;
};
