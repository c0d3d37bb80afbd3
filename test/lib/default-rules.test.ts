import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { CDK_CONTEXT } from './synthesized-stack.ts';

describe('CloudFormation’s own rules', () => {
  test('fail the synthesis of a template that CloudFormation would refuse', () => {
    const app = new App({ context: CDK_CONTEXT });
    new CfnResource(new Stack(app, 'Wrong'), 'Queue', {
      type: 'AWS::SQS::Queue',
      properties: { FifoQueue: 'perhaps' },
    });

    expect(() => app.synth()).toThrow(/validation/i);
  });
});
