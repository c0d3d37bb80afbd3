import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import { LocalError } from '../base/local-error.ts';

/** The CDK app of a folder, as its cdk.json describes it. */
export interface CdkApp {
  readonly folder: string;
  /** The command that synthesizes the app. */
  readonly command: string;
  /** The stages' settings, CDK's feature flags, and the results of earlier lookups. */
  readonly context: Readonly<Record<string, unknown>>;
}

const context = z.record(z.string(), z.unknown());
const cdkJson = z.looseObject({ app: z.string().trim().min(1).optional(), context: context.default({}) });

/** Reads cdk.json and cdk.context.json of a folder, like `cdk synth`. @throws LocalError that says what is missing. */
export const readCdkApp = async (folder: string): Promise<CdkApp> => {
  const file = join(folder, 'cdk.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    throw new LocalError(
      `${folder} has no cdk.json. Use the folder of a CDK app with Parley's stack, or create one with "parley init".`,
    );
  }
  const { data } = cdkJson.safeParse(parseJson(text));
  if (data === undefined) {
    throw new LocalError(`${file} must be a JSON object with the string "app" and the object "context".`);
  }
  if (data.app === undefined) {
    throw new LocalError(`${file} has no "app": the command that synthesizes the app, such as "node bin/parley.ts".`);
  }
  return { folder, command: data.app, context: { ...(await readLookups(folder)), ...data.context } };
};

/** Returns the values that CDK has looked up in an account, such as the subnets of a VPC. */
const readLookups = async (folder: string): Promise<Record<string, unknown>> => {
  const text = await readFile(join(folder, 'cdk.context.json'), 'utf8').catch(() => '{}');
  return context.catch({}).parse(parseJson(text));
};
