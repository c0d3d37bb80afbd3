import { z } from 'zod';
import type { DeadLetteringQueue } from './create-queue.ts';
import type { MoveTask } from './move-tasks.ts';
import { defineOperation, type Operation, type OperationContext } from './operation.ts';
import { invalidValue, SqsError } from './sqs-error.ts';

/** Per account. */
const MAX_RUNNING_TASKS = 100;

const MAX_PER_SECOND = 500;
const MAX_RESULTS = 10;

const queueWith = (arn: string, parameter: string, { queues }: OperationContext): DeadLetteringQueue => {
  const queue = queues.findByArn(arn);
  if (queue) return queue;
  throw notFound(`The resource that you specified for the ${parameter} parameter doesn't exist.`);
};

const notFound = (sentence: string): SqsError => new SqsError('ResourceNotFoundException', sentence);
const refused = (sentence: string): SqsError => new SqsError('InvalidParameterValue', sentence);

const checkDestination = (source: DeadLetteringQueue, destination: DeadLetteringQueue): void => {
  if (source === destination) throw refused('Source queue arn and destination queue arn cannot be the same.');
  if (source.settings.isFifo !== destination.settings.isFifo) {
    throw refused('The source queue and destination queue must be of the same queue type.');
  }
};

const checkSource = (source: DeadLetteringQueue, { queues }: OperationContext): void => {
  const { arn } = source.settings;
  if (!queues.all().some(({ settings }) => settings.redrive?.deadLetterQueueArn === arn)) {
    throw refused('Source queue must be configured as a Dead Letter Queue.');
  }
  if (queues.moveTasks.of(arn).some(({ status }) => status === 'RUNNING')) {
    const rule = 'Only one active task is allowed for a source queue arn at a given time.';
    throw refused(`There is already a task running. ${rule}`);
  }
  if (queues.moveTasks.running() >= MAX_RUNNING_TASKS) {
    throw new SqsError('RequestThrottled', `At most ${MAX_RUNNING_TASKS} tasks can be active in an account.`);
  }
};

const describe = (task: MoveTask): object => ({
  TaskHandle: task.status === 'RUNNING' ? task.handle : undefined,
  Status: task.status,
  SourceArn: task.source.settings.arn,
  DestinationArn: task.destination?.settings.arn,
  MaxNumberOfMessagesPerSecond: task.perSecond,
  ApproximateNumberOfMessagesMoved: task.moved,
  ApproximateNumberOfMessagesToMove: task.toMove,
  FailureReason: task.failure,
  StartedTimestamp: task.startedAt,
});

/**
 * The operations on message movement tasks.
 *
 * Sources: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html,
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html, and
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CancelMessageMoveTask.html
 */
export const MOVE_TASK_OPERATIONS: Readonly<Record<string, Operation>> = {
  StartMessageMoveTask: defineOperation(
    {
      SourceArn: z.string(),
      DestinationArn: z.string().optional(),
      MaxNumberOfMessagesPerSecond: z.int().optional(),
    },
    ({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: perSecond }, context) => {
      if (perSecond !== undefined && (perSecond < 1 || perSecond > MAX_PER_SECOND)) {
        throw invalidValue('MaxNumberOfMessagesPerSecond', perSecond, `Must be between 1 and ${MAX_PER_SECOND}.`);
      }
      const source = queueWith(SourceArn, 'SourceArn', context);
      const destination =
        DestinationArn === undefined ? undefined : queueWith(DestinationArn, 'DestinationArn', context);
      checkSource(source, context);
      if (destination) checkDestination(source, destination);
      return { TaskHandle: context.queues.moveTasks.start({ source, destination, perSecond }).handle };
    },
  ),

  ListMessageMoveTasks: defineOperation(
    { SourceArn: z.string(), MaxResults: z.int().default(1) },
    ({ SourceArn, MaxResults }, context) => {
      if (MaxResults < 1 || MaxResults > MAX_RESULTS) {
        throw invalidValue('MaxResults', MaxResults, `Must be between 1 and ${MAX_RESULTS}.`);
      }
      queueWith(SourceArn, 'SourceArn', context);
      return { Results: context.queues.moveTasks.of(SourceArn).slice(0, MaxResults).map(describe) };
    },
  ),

  CancelMessageMoveTask: defineOperation({ TaskHandle: z.string() }, ({ TaskHandle }, { queues }) => {
    const task = queues.moveTasks.find(TaskHandle);
    if (task === undefined) throw notFound('Task does not exist.');
    if (task.status !== 'RUNNING') {
      throw new SqsError('UnsupportedOperation', `A task can be cancelled only while it is running: ${task.status}.`);
    }
    task.status = 'CANCELLED';
    return { ApproximateNumberOfMessagesMoved: task.moved };
  }),
};
