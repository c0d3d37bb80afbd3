import { Stack } from 'aws-cdk-lib';
import { Grant, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { WatchArrivalsEvent } from '../../lambdas/manage/environment.ts';
import { schedulerPrincipal } from './service-principals.ts';

/** Properties of {@link WatchArrivals}. */
export interface WatchArrivalsProps {
  /** The function that looks for what did not arrive. */
  readonly handler: IFunction;
}

/** The schedule on which a function looks for channels that are silent, and for messages that are missing. */
export class WatchArrivals extends Construct {
  constructor(scope: Construct, id: string, { handler }: WatchArrivalsProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      description: 'Lets EventBridge Scheduler invoke the function that looks for what did not arrive',
      assumedBy: schedulerPrincipal(Stack.of(this), 'default'),
    });
    Grant.addToPrincipal({
      grantee: role,
      actions: ['lambda:InvokeFunction'],
      resourceArns: [handler.functionArn],
    });
    new CfnSchedule(this, 'Schedule', {
      description: 'Looks for channels that are silent, and for messages that are missing',
      scheduleExpression: 'rate(5 minutes)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: handler.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify({ watchArrivals: true } satisfies WatchArrivalsEvent),
      },
    });
  }
}
