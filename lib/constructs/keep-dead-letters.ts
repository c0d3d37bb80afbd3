import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { KeepDeadLettersEvent } from '../../lambdas/manage/environment.ts';
import { grantConsume } from './dead-lettered-queue.ts';
import { addScheduledInvocation } from './scheduled-invocation.ts';

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
    addScheduledInvocation(this, {
      handler,
      rate: 'rate(1 day)',
      input: { keepDeadLetters: true } satisfies KeepDeadLettersEvent,
      description: 'Keeps dead letters in the table before SQS deletes them',
      roleDescription: 'Lets EventBridge Scheduler invoke the function that keeps dead letters',
    });
  }
}
