import { randomUUID } from 'node:crypto';
import type { DeadLetteringQueue } from './create-queue.ts';

export type MoveTaskStatus = 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';

/** A task that moves the messages of a dead-letter queue. */
export interface MoveTask {
  readonly handle: string;
  readonly source: DeadLetteringQueue;
  /** Undefined if each message returns to the queue that it came from. */
  readonly destination: DeadLetteringQueue | undefined;
  /** Undefined if SQS chooses how many messages to move per second. */
  readonly perSecond: number | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly toMove: number;
  status: MoveTaskStatus;
  moved: number;
  failure?: string;
}

/** The message movement tasks of a region. */
export interface MoveTasks {
  start(task: Pick<MoveTask, 'source' | 'destination' | 'perSecond'>): MoveTask;
  find(handle: string): MoveTask | undefined;
  /** Returns the tasks of a queue, newest first. */
  of(sourceArn: string): readonly MoveTask[];
  /** Returns how many tasks are running. */
  running(): number;
  /** Moves what is due by now. */
  advance(): void;
}

export interface MoveTasksContext {
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly findQueue: (arn: string | undefined) => DeadLetteringQueue | undefined;
}

/**
 * Creates the tasks of a region. A task moves the messages that are not in flight, oldest first. Without a rate, it
 * moves all of them at once. A message that was not moved to the dead-letter queue by SQS has no source, so it can be
 * moved only to a given destination.
 *
 * Sources:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/troubleshooting-dlq-redrive.html
 */
export const createMoveTasks = ({ now, findQueue }: MoveTasksContext): MoveTasks => {
  const tasks: MoveTask[] = [];

  const due = ({ perSecond, startedAt, toMove }: MoveTask): number =>
    perSecond === undefined ? toMove : Math.min(toMove, Math.floor((now() - startedAt) / 1000) * perSecond);

  const fail = (task: MoveTask, failure: string): void => {
    Object.assign(task, { status: 'FAILED', failure });
  };

  const move = (task: MoveTask): void => {
    const message = task.source.oldestVisible();
    if (message === undefined) {
      task.status = 'COMPLETED';
      return;
    }
    const sourceArn = message.deadLetterQueueSourceArn;
    const destination = task.destination ?? findQueue(sourceArn);
    if (destination === undefined) {
      const isUnknown = sourceArn === undefined;
      fail(task, isUnknown ? 'CouldNotDetermineMessageSource' : 'AWS.SimpleQueueService.NonExistentQueue');
      return;
    }
    task.source.remove(message);
    destination.adoptRedriven(message);
    task.moved += 1;
    if (task.moved === task.toMove) task.status = 'COMPLETED';
  };

  const advanceTask = (task: MoveTask): void => {
    while (task.status === 'RUNNING' && task.moved < due(task)) move(task);
    if (task.status === 'RUNNING' && task.toMove === 0) task.status = 'COMPLETED';
  };

  return {
    start(started) {
      const toMove = started.source.depths().visible;
      const task: MoveTask = {
        ...started,
        handle: Buffer.from(`${randomUUID()} ${started.source.settings.arn}`).toString('base64'),
        startedAt: now(),
        toMove,
        status: 'RUNNING',
        moved: 0,
      };
      tasks.unshift(task);
      advanceTask(task);
      return task;
    },
    find: (handle) => tasks.find((task) => task.handle === handle),
    of: (sourceArn) => tasks.filter(({ source }) => source.settings.arn === sourceArn),
    running: () => tasks.filter(({ status }) => status === 'RUNNING').length,
    advance() {
      for (const task of tasks) if (task.status === 'RUNNING') advanceTask(task);
    },
  };
};
