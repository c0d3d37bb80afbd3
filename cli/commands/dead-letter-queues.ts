import type { DeadLetterQueueName } from '../../lambdas/domain/dead-letter.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import type { ReadableQueue } from '../operations/dead-letter-queue.ts';

/** For the help of commands. */
export const DEAD_LETTER_QUEUES_HELP =
  'send: requests that failed; bulk: bulk requests that failed; inbound: events that could not be parsed or stored; ' +
  'schedules: scheduled sends that could not be queued; erasures: erasures that failed; ' +
  'publishing: changes that were not published as events; targets: events that a target did not accept';

/** Returns a dead-letter queue, or undefined if the stack has none of this name. */
export const findDeadLetterQueue = (
  { sqs, addresses }: Pick<Target, 'sqs' | 'addresses'>,
  name: DeadLetterQueueName,
): ReadableQueue | undefined => {
  const urls: Readonly<Record<DeadLetterQueueName, string | undefined>> = {
    send: addresses.sendDeadLetterQueueUrl,
    bulk: addresses.bulkSendDeadLetterQueueUrl,
    inbound: addresses.inboundDeadLetterQueueUrl,
    schedules: addresses.scheduleDeadLetterQueueUrl,
    erasures: addresses.erasureDeadLetterQueueUrl,
    publishing: addresses.publishFailuresQueueUrl,
    targets: addresses.undeliveredEventsQueueUrl,
  };
  const url = urls[name];
  return url === undefined ? undefined : { sqs, url };
};

/** @throws CliError if the stack has no dead-letter queue of this name */
export const deadLetterQueueOf = (target: Target, name: DeadLetterQueueName): ReadableQueue => {
  const queue = findDeadLetterQueue(target, name);
  if (queue) return queue;
  throw new CliError(EXIT.noAccess, `${name} has no dead letters in ${target.name}: ${WHY_MISSING[name] ?? OLD_STACK}`);
};

const OLD_STACK = 'its stack lacks the output of the queue. Deploy this version of Parley, then try again.';

/** Why a stack may not have a queue. */
const WHY_MISSING: Partial<Record<DeadLetterQueueName, string>> = {
  bulk: 'the stage has no bulk queue. See the setting sends.bulkLane.',
  targets: 'the stage has no event targets. See the setting events.targets.',
};
