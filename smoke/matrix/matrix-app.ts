import { App } from 'aws-cdk-lib';
import { createMatrixStack } from './matrix-stacks.ts';

/** The CDK app of `npm run smoke -- --matrix`, which synthesizes one of its stacks at a time. */
const app = new App();
createMatrixStack(app);
app.synth();
