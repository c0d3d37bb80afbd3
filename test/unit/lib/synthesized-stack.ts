import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotations, App, type Environment, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { ParleyStack } from '../../../lib/parley-stack.ts';
import { readStageSettings } from '../../../lib/settings/read-stage-settings.ts';
import { PRODUCTION } from './settings/valid-settings.ts';
import type { Share } from './shared-resources.ts';

/** The context of cdk.json: its stages and feature flags. */
export const CDK_CONTEXT: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'),
).context;

/** The stages of cdk.json, with real-looking addresses, which a production stage needs. */
const STAGES: Readonly<Record<string, unknown>> = {
  dev: isRecord(CDK_CONTEXT.stages) && CDK_CONTEXT.stages.dev,
  prod: PRODUCTION,
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Synthesizes the stack of one stage as `cdk synth` does. */
export function synthesizedStack(
  stage: 'dev' | 'prod',
  settings?: Readonly<Record<string, unknown>>,
  options: {
    readonly withCloudFormationRules?: boolean;
    readonly env?: Environment;
    /** @default that of the stage */
    readonly stackName?: string;
    /** What exists already. @default nothing */
    readonly share?: Share;
  } = {},
) {
  return inTemporaryFolder((outdir) => {
    const app = new App({
      outdir,
      // No template depends on the bundles, and only one test on the rules, which take a second to load.
      context: { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [] },
      builtinCloudFormationValidation: options.withCloudFormationRules ?? false,
    });
    const read = readStageSettings({ stages: STAGES, stage, settings });
    const stack = new ParleyStack(app, options.stackName ?? `Parley-${read.name}`, {
      settings: read.settings,
      env: options.env,
      ...options.share?.(new Stack(app, 'Shared', { env: options.env })),
    });
    // Nothing is deployed.
    Annotations.of(stack).acknowledgeWarning('parley:alarmTopicArn');
    return { stack, template: Template.fromStack(stack) };
  });
}

/** Matches the logical id of the resource with this name, whatever its hash is. */
export const logicalIdOf = (name: string) => Match.stringLikeRegexp(`^${name}[0-9A-F]{8}$`);

/** Runs an action in a temporary folder that is removed afterwards. */
export function inTemporaryFolder<Result>(action: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'parley-stack-'));
  try {
    return action(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
