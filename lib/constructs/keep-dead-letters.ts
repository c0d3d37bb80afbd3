import { Stack } from 'aws-cdk-lib';
import { Grant, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { KeepDeadLettersEvent } from '../../lambdas/manage/environment.ts';
import { grantConsume } from './dead-lettered-queue.ts';
import { schedulerPrincipal } from './service-principals.ts';

/** Properties of {@link KeepDeadLetters}. */
export interface KeepDeadLettersProps {
  /** The function that moves old dead letters to the table. */
  readonly handler: IFunction;
  readonly deadLetters: readonly IQueue[];
}

/**
 * The daily schedule on which a function keeps dead letters in the table before SQS deletes them, and checks when the
 * access token expires.
 *
 * It is a schedule because an event source mapping would poll the empty queues all day.
 */
export class KeepDeadLetters extends Construct {
  constructor(scope: Construct, id: string, { handler, deadLetters }: KeepDeadLettersProps) {
    super(scope, id);
    grantConsume(handler, ...deadLetters);
    const role = new Role(this, 'Role', {
      description: 'Lets EventBridge Scheduler invoke the function that keeps dead letters',
      assumedBy: schedulerPrincipal(Stack.of(this), 'default'),
    });
    Grant.addToPrincipal({
      grantee: role,
      actions: ['lambda:InvokeFunction'],
      resourceArns: [handler.functionArn],
    });
    new CfnSchedule(this, 'Schedule', {
      description: 'Keeps dead letters in the table before SQS deletes them',
      scheduleExpression: 'rate(1 day)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: handler.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ keepDeadLetters: true } satisfies KeepDeadLettersEvent),
      },
    });
  }
}
