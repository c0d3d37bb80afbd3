import { App } from 'aws-cdk-lib';
import { ParleyStack, readStageSettings, SettingsError } from '../lib/index.ts';
import { LOCAL_RUN_CONTEXT } from '../lib/settings/check-production.ts';

/** Creates the stack `Parley-NAME` from the settings of the stage selected with `-c stage=NAME`. */
function main(): void {
  const app = new App();
  const { name, settings } = readStageSettings({
    stages: app.node.tryGetContext('stages'),
    stage: app.node.tryGetContext('stage'),
    settings: app.node.tryGetContext('settings'),
    localRun: app.node.tryGetContext(LOCAL_RUN_CONTEXT),
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
