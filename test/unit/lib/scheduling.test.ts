import { describe, expect, test } from 'vitest';
import { synthesizedStack } from './synthesized-stack.ts';

describe('Scheduled sends', () => {
  const { template } = synthesizedStack('prod');

  test('are woken by a role that Scheduler alone takes on, and for this account alone', () => {
    const [role] = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('SendingSchedulingRole'),
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

  test('outlive a production stage’s stack, as does what could not be woken', () => {
    const retained = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

    template.hasResource('AWS::Scheduler::ScheduleGroup', retained);
    template.allResources('AWS::SQS::Queue', retained);
  });
});
