import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

describe('The stack', () => {
  const { stack, template } = synthesizedStack('prod', { customerManagedKey: true });

  test('tells where everything is, under names that other systems rely on', () => {
    expect(Object.keys(template.toJSON().Outputs)).toEqual([
      'WebhookUrl',
      'ManagementUrl',
      'SendQueueUrl',
      'SendDeadLetterQueueUrl',
      'InboundQueueUrl',
      'InboundDeadLetterQueueUrl',
      'TableName',
      'EventBusName',
      'AccessTokenSecretId',
    ]);
    expect(template.toJSON().Outputs.WebhookUrl.Value['Fn::Join'][1].at(-1)).toBe('/webhook');
  });

  // A changed logical id is a new resource: CloudFormation would leave the old one behind with all that it holds.
  test.each([
    { type: 'AWS::DynamoDB::Table', logicalIds: ['ConversationsTable05F75AD7'] },
    { type: 'AWS::KMS::Key', logicalIds: ['ConversationsKey32DBCDE1'] },
    // Consumers' rules are on it.
    { type: 'AWS::Events::EventBus', logicalIds: ['PublishingBusF593E1F3'] },
    // A year of scheduled sends is in it.
    { type: 'AWS::Scheduler::ScheduleGroup', logicalIds: ['SendingSchedulingGroup7A7C46E8'] },
    { type: 'AWS::SecretsManager::Secret', logicalIds: ['SendingAccessToken19D75F3B'] },
    {
      type: 'AWS::SQS::Queue',
      logicalIds: [
        'ManagementErasuresDeadLetterQueueD7DE42FB',
        'ManagementErasuresQueueAF571277',
        'PublishingUntoldChanges296E7062',
        'SendingRequestsDeadLetterQueue313D0DC7',
        'SendingRequestsQueueB466E5CE',
        'SendingSchedulingDeadLetterQueue718FB2F6',
        'WebhookInboundDeadLetterQueue79E71023',
        'WebhookInboundQueueA6C2577F',
      ],
    },
    // Not data, but the addresses that the chat service and internal systems were given.
    { type: 'AWS::ApiGatewayV2::Api', logicalIds: ['ManagementApi46D28074', 'WebhookApi427E2EB3'] },
  ])('never renames a $type', ({ type, logicalIds }) => {
    expect(Object.keys(template.findResources(type)).sort()).toEqual(logicalIds);
  });

  test('belongs to no account and no region, so that it can be synthesized without one', () => {
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
  });

  test('has no finding of AWS’s own checks that is not answered with a reason', () => {
    expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
  });
});
