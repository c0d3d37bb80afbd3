import type { Construct } from 'constructs';
import { LOCAL_RUN_CONTEXT } from './check-production.ts';
import { readStageSettings, type Stage } from './read-stage-settings.ts';

/**
 * Reads the stage that `-c stage=NAME` selects from the context of a CDK app: its settings in `context.stages` of
 * cdk.json, and what `-c settings` or a local run overrides.
 *
 * @throws SettingsError that lists every fault.
 */
export function stageFromContext(app: Construct): Stage {
  return readStageSettings({
    stages: app.node.tryGetContext('stages'),
    stage: app.node.tryGetContext('stage'),
    settings: app.node.tryGetContext('settings'),
    localRun: app.node.tryGetContext(LOCAL_RUN_CONTEXT),
  });
}
