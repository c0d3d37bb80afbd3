import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTREME_STAGES, type ExtremeStage } from '../../unit/lib/quotas/extreme-stages.ts';
import { STAGE_VARIANTS } from '../../unit/lib/rules/stage-variants.ts';
import { CDK_CONTEXT, synthesizedStack } from '../../unit/lib/synthesized-stack.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A file with a template. */
export interface TemplateFile {
  /** What is in the template. */
  readonly name: string;
  readonly file: string;
}

/**
 * Writes the templates of every variant of a stage, of the stages with settings at their maximum, and of the examples.
 *
 * @param folder an empty folder
 */
export const writeTemplates = async (folder: string): Promise<readonly TemplateFile[]> => {
  const stages = [...STAGE_VARIANTS, ...EXTREME_STAGES.map((one) => ({ stage: 'prod', ...one }) as const)];
  const written = stages.map(async ({ name, stage, settings, share, ...others }, index) => {
    const { stackName }: Pick<ExtremeStage, 'stackName'> = others;
    const { template } = synthesizedStack(stage, settings, { share, stackName });
    const file = join(folder, `${index}.template.json`);
    await writeFile(file, JSON.stringify(template.toJSON()));
    return { name, file };
  });
  return [...(await Promise.all(written)), ...(await writeExamples(join(folder, 'examples')))];
};

/** Writes the templates of the examples' app, with the stage of the local run, which has most optional parts. */
const writeExamples = async (folder: string): Promise<readonly TemplateFile[]> => {
  await mkdir(folder);
  const context = { ...CDK_CONTEXT, stage: 'local', 'aws:cdk:bundling-stacks': [] };
  const app = spawn(process.execPath, [join(ROOT, 'examples/app.ts')], {
    cwd: ROOT,
    env: { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: JSON.stringify(context) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors = app.stderr.setEncoding('utf8').toArray();
  const [code] = await once(app, 'close');
  if (code !== 0) throw new Error(`The examples' app failed.\n${(await errors).join('')}`);
  return globSync(join(folder, '*.template.json'))
    .toSorted()
    .map((file) => ({ name: `the examples: ${file.slice(folder.length + 1)}`, file }));
};

/** A template that is read. */
export interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;
}

/** Reads a template that was written. */
export const readTemplate = async ({ file }: TemplateFile): Promise<Template> =>
  JSON.parse(await readFile(file, 'utf8'));
