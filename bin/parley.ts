import { App } from 'aws-cdk-lib';
import { ParleyStack } from '../lib/parley-stack.ts';
import { readStageSettings } from '../lib/settings/read-stage-settings.ts';
import { SettingsError } from '../lib/settings/settings-faults.ts';

/** The CDK app: a stage's settings, chosen by `-c stage=NAME`, become its stack `Parley-NAME`. */
function main(): void {
  const app = new App();
  const { name, settings } = readStageSettings({
    stages: app.node.tryGetContext('stages'),
    stage: app.node.tryGetContext('stage'),
    settings: app.node.tryGetContext('settings'),
  });
  new ParleyStack(app, `Parley-${name}`, {
    settings,
    description: `Parley, stage ${name}: the customer's side of a business-messaging chat service`,
  });
  app.synth();
}

try {
  main();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
