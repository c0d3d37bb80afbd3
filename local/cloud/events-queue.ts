import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import type { Emulators } from '../emulators/emulators.ts';
import { createQueueTarget } from '../emulators/event-targets.ts';

/** The longest that SQS keeps messages, so that advancing the clock by days deletes no unread events. */
const RETENTION_SECONDS = 14 * 24 * 60 * 60;

/**
 * Creates a queue that receives every event of a bus, like the target of a rule. It is not part of the stack: it stands
 * for a consumer's queue.
 *
 * @returns the queue's URL.
 */
export const createEventsQueue = async (
  { sqs, buses, queueBaseUrl }: Pick<Emulators, 'sqs' | 'buses' | 'queueBaseUrl'>,
  eventBusName: string,
): Promise<string> => {
  const QueueName = `${eventBusName}-events`;
  const Attributes = { MessageRetentionPeriod: String(RETENTION_SECONDS) };
  await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const url = `${queueBaseUrl}/${QueueName}`;
  const deliver = createQueueTarget(sqs, url);
  buses.addRule(eventBusName, {
    matches: () => true,
    targets: [{ name: 'the events queue', deliver, deadLetter: undefined }],
  });
  return url;
};
