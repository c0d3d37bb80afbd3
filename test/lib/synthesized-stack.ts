import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ParleyStack } from '../../lib/parley-stack.ts';
import { readStageSettings } from '../../lib/settings.ts';

/** The context of the repository's cdk.json: its stages and feature flags. */
export const CDK_CONTEXT: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
).context;

/** One stage's stack as `cdk synth` makes it, but without bundling, which no template depends on. */
export function synthesizedStack(stage: 'dev' | 'prod', settings?: Readonly<Record<string, unknown>>) {
  const app = new App({ context: { ...CDK_CONTEXT, 'aws:cdk:bundling-stacks': [] } });
  const read = readStageSettings({ stages: CDK_CONTEXT.stages, stage, settings });
  const stack = new ParleyStack(app, `Parley-${read.name}`, { settings: read.settings });
  return { app, stack, template: Template.fromStack(stack) };
}
