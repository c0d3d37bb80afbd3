import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { WatchArrivalsEvent } from '../../../lambdas/manage/environment.ts';
import { addScheduledInvocation } from '../scheduled-invocation.ts';

/** Properties of {@link WatchArrivals}. */
export interface WatchArrivalsProps {
  /** The function that looks for what did not arrive. */
  readonly handler: IFunction;
}

/** The schedule on which a function looks for channels that are silent, and for messages that are missing. */
export class WatchArrivals extends Construct {
  constructor(scope: Construct, id: string, { handler }: WatchArrivalsProps) {
    super(scope, id);
    addScheduledInvocation(this, {
      handler,
      rate: 'rate(5 minutes)',
      input: { watchArrivals: true } satisfies WatchArrivalsEvent,
      description: 'Looks for channels that are silent, and for messages that are missing',
      roleDescription: 'Lets EventBridge Scheduler invoke the function that looks for what did not arrive',
    });
  }
}
