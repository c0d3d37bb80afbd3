import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { STAGE_VARIANTS } from './rules/stage-variants.ts';
import { shareAll, shareBus, shareDomainName, shareKey, shareTableWithKey, shareVpc } from './shared-resources.ts';
import { CDK_CONTEXT, inTemporaryFolder, synthesizedStack } from './synthesized-stack.ts';

describe('The CloudFormation rules of CDK', () => {
  test('accept every resource that a stage can have', () => {
    const everything = {
      customerManagedKey: true,
      turns: { silenceSeconds: 8 },
      sends: { bulkLane: { maxConcurrentCalls: 20, maxCallsPerSecond: 10 } },
      keywords: { languages: ['en'], confirmation: 'You will get no more messages from us.' },
      operators: { echoField: 'OPERATOR_ID' },
      alarmTopicArn: 'arn:aws:sns:eu-west-1:444455556666:alarms',
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

  test('accept a stage with existing resources, a VPC, and a domain name', () => {
    const share = shareAll(shareTableWithKey, shareBus, shareKey, shareVpc, shareDomainName);

    const { template } = synthesizedStack('prod', {}, { withCloudFormationRules: true, share });

    template.resourceCountIs('AWS::EC2::SecurityGroup', 1);
    template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
  });

  test.each(STAGE_VARIANTS)(
    'let nothing depend on what may be missing in a stage with $name',
    ({ stage, settings, share }) => {
      const resources: Readonly<Record<string, { Condition?: string; DependsOn?: readonly string[] }>> =
        synthesizedStack(stage, settings, { share }).template.toJSON().Resources;
      const dependencies = Object.entries(resources).flatMap(([id, { Condition, DependsOn = [] }]) =>
        DependsOn.filter((other) => ![undefined, Condition].includes(resources[other]?.Condition)).map((other) => [
          id,
          other,
        ]),
      );
      expect(dependencies).toEqual([]);
    },
  );

  test('fail the synthesis of what CloudFormation would reject', () => {
    inTemporaryFolder((outdir) => {
      const app = new App({ outdir, context: CDK_CONTEXT });
      const properties = { FifoQueue: 'perhaps' };
      new CfnResource(new Stack(app, 'Wrong'), 'Queue', { type: 'AWS::SQS::Queue', properties });

      expect(() => app.synth()).toThrow(/validation/i);
    });
  });
});
