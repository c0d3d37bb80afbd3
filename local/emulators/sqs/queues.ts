import { createQueue, type DeadLetteringQueue, type QueueContext } from './create-queue.ts';
import { createMoveTasks, type MoveTasks } from './move-tasks.ts';
import type { Queue, QueueSettings } from './queue.ts';

/** The queues of a region. */
export interface Queues {
  create(settings: QueueSettings): Queue;
  find(name: string): Queue | undefined;
  findByArn(arn: string): DeadLetteringQueue | undefined;
  all(): readonly Queue[];
  readonly moveTasks: MoveTasks;
}

export type QueuesContext = Omit<QueueContext, 'deadLetterQueue'>;

/** Creates an empty region. */
export const createQueues = (context: QueuesContext): Queues => {
  const queues = new Map<string, DeadLetteringQueue>();
  const findByArn = (arn: string | undefined): DeadLetteringQueue | undefined =>
    [...queues.values()].find(({ settings }) => settings.arn === arn);
  return {
    create(settings) {
      const deadLetterQueue = () => findByArn(settings.redrive?.deadLetterQueueArn);
      const queue = createQueue(settings, { ...context, deadLetterQueue });
      queues.set(settings.name, queue);
      return queue;
    },
    find: (name) => queues.get(name),
    findByArn,
    all: () => [...queues.values()],
    moveTasks: createMoveTasks({ now: context.now, findQueue: findByArn }),
  };
};
