import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { CDK_CONTEXT, inTemporaryFolder, synthesizedStack } from './synthesized-stack.ts';

describe('The CloudFormation rules of CDK', () => {
  test('accept every resource that a stage can have', () => {
    const everything = { customerManagedKey: true, alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:alarms' };

    expect(() => synthesizedStack('prod', everything, { withCloudFormationRules: true })).not.toThrow();
  });

  test('fail the synthesis of what CloudFormation would reject', () => {
    inTemporaryFolder((outdir) => {
      const app = new App({ outdir, context: CDK_CONTEXT });
      const properties = { FifoQueue: 'perhaps' };
      new CfnResource(new Stack(app, 'Wrong'), 'Queue', { type: 'AWS::SQS::Queue', properties });

      expect(() => app.synth()).toThrow(/validation/i);
    });
  });
});
