import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { CDK_CONTEXT, inTemporaryFolder, synthesizedStack } from './synthesized-stack.ts';

describe('The CloudFormation rules of CDK', () => {
  test('accept every resource that a stage can have', () => {
    const everything = {
      customerManagedKey: true,
      alarmTopicArn: 'arn:aws:sns:eu-west-1:111122223333:alarms',
      webhook: { auth: { kind: 'standard-webhooks' } },
      events: {
        targets: [
          { kind: 'sqs', queueArn: 'arn:aws:sqs:eu-west-1:111122223333:orders' },
          { kind: 'https', url: 'https://crm.bank.internal/events' },
        ],
      },
    };

    const { template } = synthesizedStack('prod', everything, { withCloudFormationRules: true });

    template.resourceCountIs('AWS::Events::Rule', 2);
    template.resourceCountIs('AWS::Events::ApiDestination', 1);
    template.hasResourceProperties('AWS::SecretsManager::Secret', { Description: Match.stringLikeRegexp('webhook') });
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
