import { describe, expect, test } from 'vitest';
import { synthesizedStack } from '../synthesized-stack.ts';

describe('The schedules of sends', () => {
  const { template } = synthesizedStack('prod');

  test('use a role that only EventBridge Scheduler may assume, and only for this account', () => {
    const [role] = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('SenderSchedulesRole'),
    );

    expect(role?.[1].Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
      },
    ]);
  });

  test('are retained in a production stage, like their dead letters', () => {
    const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

    template.hasResource('AWS::Scheduler::ScheduleGroup', retained);
    template.allResources('AWS::SQS::Queue', retained);
  });
});
