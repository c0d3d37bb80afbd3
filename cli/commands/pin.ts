import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { parseJson } from '../../lambdas/domain/schema.ts';
import { type CreateCommand, examples } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';

const cdkJson = z.looseObject({ app: z.string().min(1), context: z.record(z.string(), z.unknown()).default({}) });

/** Creates `pin`. */
export const createPinCommand: CreateCommand = ({ report, stop }) =>
  new Command('pin')
    .description(
      "Pin a stage's table, queues, secrets, and other resources that it must not lose.\n\n" +
        'Writes them to parley.pins.json in the folder of the CDK app. Commit the file. From then on, synth refuses a ' +
        'change that would delete or replace one of them. It needs no AWS credentials.',
    )
    .addHelpText('after', examples('parley pin --stage prod'))
    .action(async (_options, command) => {
      const { stage = process.env.PARLEY_STAGE }: { stage?: string } = command.optsWithGlobals();
      if (stage === undefined) throw new CliError(EXIT.usage, 'No stage. Use --stage <name>.');
      await synthesize(await readApp(), stage, stop);
      report({
        lines: [`Wrote the pins of the stage ${stage} to parley.pins.json. Commit the file.`],
        json: { stage, file: 'parley.pins.json' },
      });
    });

const readApp = async (): Promise<z.output<typeof cdkJson>> => {
  const text = await readFile(join(process.cwd(), 'cdk.json'), 'utf8').catch(() => {
    throw new CliError(EXIT.usage, 'This folder has no cdk.json. Use the folder of the CDK app.');
  });
  const { data } = cdkJson.safeParse(parseJson(text));
  if (data) return { ...data, context: { ...(await readLookups()), ...data.context } };
  throw new CliError(EXIT.usage, 'cdk.json is not JSON, or it has no "app": the command that synthesizes the app.');
};

/** Returns the values that CDK has looked up in an account, such as the subnets of a VPC. */
const readLookups = async (): Promise<Record<string, unknown>> => {
  const text = await readFile(join(process.cwd(), 'cdk.context.json'), 'utf8').catch(() => '{}');
  return z.record(z.string(), z.unknown()).catch({}).parse(parseJson(text));
};

/** Synthesizes the app like `cdk synth`, but without the functions' code, and with the pins as a result. */
const synthesize = async (
  { app, context }: z.output<typeof cdkJson>,
  stage: string,
  stop: AbortSignal,
): Promise<void> => {
  const outdir = await mkdtemp(join(tmpdir(), 'parley-pin-'));
  const values = { ...context, stage, 'parley:pin': true, 'aws:cdk:bundling-stacks': [] };
  try {
    const child = spawn(app, {
      shell: true,
      cwd: process.cwd(),
      env: {
        ...process.env,
        // Node.js may have been started by its path, and be another one than the first in PATH.
        PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
        CDK_OUTDIR: outdir,
        CDK_CONTEXT_JSON: JSON.stringify(values),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const output: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const code = await new Promise((resolve) => {
      child.once('close', resolve);
    });
    if (stop.aborted)
      throw new CliError(EXIT.interrupted, 'Interrupted while synthesizing the app. Nothing was written.');
    if (code !== 0) throw new CliError(EXIT.refused, `The app cannot be synthesized: ${output.join('').trim()}`);
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
};
