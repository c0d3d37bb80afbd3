import { Stack } from 'aws-cdk-lib';
import { Grant, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { schedulerPrincipal } from './service-principals.ts';

/** What {@link addScheduledInvocation} adds. */
export interface ScheduledInvocation {
  readonly handler: IFunction;
  /** Such as `rate(1 day)`. */
  readonly rate: string;
  /** What the function gets. */
  readonly input: unknown;
  readonly description: string;
  readonly roleDescription: string;
}

/** Adds a schedule that invokes a function, with the role of the schedule, to a construct of its own. */
export function addScheduledInvocation(
  scope: Construct,
  { handler, rate, input, description, roleDescription }: ScheduledInvocation,
): void {
  const role = new Role(scope, 'Role', {
    description: roleDescription,
    assumedBy: schedulerPrincipal(Stack.of(scope), 'default'),
  });
  Grant.addToPrincipal({
    grantee: role,
    actions: ['lambda:InvokeFunction'],
    resourceArns: [handler.functionArn],
  });
  new CfnSchedule(scope, 'Schedule', {
    description,
    scheduleExpression: rate,
    flexibleTimeWindow: { mode: 'OFF' },
    target: { arn: handler.functionArn, roleArn: role.roleArn, input: JSON.stringify(input) },
  });
}
