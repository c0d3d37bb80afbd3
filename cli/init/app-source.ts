/** The repository's own app, which imports the package instead of its files. */
export const APP_SOURCE = `import { App } from 'aws-cdk-lib';
import { ParleyStack, SettingsError, stageFromContext } from '@parleyhq/parley';

/** Creates the stack \`Parley-NAME\` from the settings of the stage selected with \`-c stage=NAME\`. */
function main(): void {
  const app = new App();
  const { name, settings } = stageFromContext(app);
  new ParleyStack(app, \`Parley-\${name}\`, {
    settings,
    description: \`Parley, stage \${name}: the customer's side of a business-messaging chat service\`,
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
`;
