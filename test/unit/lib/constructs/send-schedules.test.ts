import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from '../synthesized-stack.ts';

describe('The schedules of sends', () => {
  const { template } = synthesizedStack('prod');

  test('use a role that only EventBridge Scheduler may assume, and only for schedules of its group', () => {
    const [role] = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('SenderSchedulesRole'),
    );

    expect(role?.[1].Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Condition: {
          StringEquals: {
            'aws:SourceAccount': { Ref: 'AWS::AccountId' },
            'aws:SourceArn': { 'Fn::Join': ['', expect.arrayContaining([':schedule-group/Parley-prod'])] },
          },
        },
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
      },
    ]);
  });

  test('have the key of the stage in their environment, if it has one', () => {
    const variables = (template: Template) =>
      Object.entries(template.findResources('AWS::Lambda::Function')).find(([id]) =>
        id.startsWith('SenderFunction'),
      )?.[1].Properties.Environment.Variables;

    expect(variables(template)).not.toHaveProperty('SCHEDULE_KEY_ARN');
    expect(variables(synthesizedStack('prod', { customerManagedKey: true }).template)).toHaveProperty(
      'SCHEDULE_KEY_ARN',
      { 'Fn::GetAtt': ['TableKeyF581D96F', 'Arn'] },
    );
  });

  test('leave their dead letters behind in a production stage, but not their group, whose name is fixed', () => {
    const retained = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };

    template.hasResource('AWS::Scheduler::ScheduleGroup', { DeletionPolicy: 'Delete' });
    template.allResources('AWS::SQS::Queue', retained);
  });
});
