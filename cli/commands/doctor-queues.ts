import { countAllMessages, countMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import { type DeadLetterQueueName, KEPT_QUEUES, type KeptQueue } from '../../lambdas/domain/dead-letter.ts';
import { type CommandFor, count } from '../base/command.ts';
import { explainError } from '../base/errors.ts';
import type { Target } from '../base/target.ts';
import { keptDeadLetters } from '../operations/kept-dead-letters.ts';
import { findLeftoverQueues, queueName, type SearchedStack } from '../operations/leftover-queues.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import type { Finding } from './finding.ts';

const check = 'queues';

/** Checks how many messages wait in the queues. */
export const checkQueues = async ({ sqs, addresses }: Target, commandFor: CommandFor): Promise<readonly Finding[]> => {
  const { bulkSendQueueUrl, turnQueueUrl } = addresses;
  const [send, bulk, turns, inbound, publish, targets] = await Promise.all([
    countMessages(sqs, addresses.sendQueueUrl),
    bulkSendQueueUrl === undefined ? undefined : countMessages(sqs, bulkSendQueueUrl),
    turnQueueUrl === undefined ? undefined : countMessages(sqs, turnQueueUrl),
    countMessages(sqs, addresses.inboundQueueUrl),
    messagesIn({ sqs }, addresses.publishFailuresQueueUrl),
    messagesIn({ sqs }, addresses.undeliveredEventsQueueUrl),
  ]);
  // With buffered ingress, every event passes through the queue.
  const areEventsWaiting = inbound.available > 0 && addresses.webhookIngress !== 'buffered';
  return [
    { check, grade: 'ok', message: `Send queue: ${send.available} waiting, ${send.inFlight} in flight.` },
    ...(bulk
      ? [
          {
            check,
            grade: 'ok',
            message: `Bulk queue: ${bulk.available} waiting, ${bulk.inFlight} in flight.`,
          } as const,
        ]
      : []),
    ...(turns
      ? [{ check, grade: 'ok', message: `Turn queue: ${turns.available} due, ${turns.inFlight} in flight.` } as const]
      : []),
    {
      check,
      grade: areEventsWaiting ? 'warning' : 'ok',
      message: `Inbound queue: ${inbound.available} waiting to be stored, ${inbound.inFlight} in flight.`,
      ...(areEventsWaiting && {
        remedy:
          'The table was unavailable. Parley stores these events automatically. ' +
          'If the number does not decrease, see the log of the receive function.',
      }),
    },
    ...(publish > 0
      ? [
          {
            check,
            grade: 'warning',
            message: `${count(publish, 'change')} could not be published as an event.`,
            remedy: `${remedyFor(commandFor, 'publishing')} Also see the log of the publish function.`,
          } as const,
        ]
      : []),
    ...(targets > 0
      ? [
          {
            check,
            grade: 'warning',
            message: `${count(targets, 'event')} could not be delivered to ${targets === 1 ? 'its' : 'their'} target.`,
            remedy: remedyFor(commandFor, 'targets'),
          } as const,
        ]
      : []),
  ];
};

/** Checks for bulk queues that remain after `sends.bulkLane` was removed. */
export const checkLeftoverQueues = async (
  target: SearchedStack,
  commandFor: CommandFor,
): Promise<readonly Finding[]> => {
  let urls: readonly string[];
  try {
    urls = await findLeftoverQueues(target);
  } catch (error) {
    const message = `Queues that are no longer part of the stage could not be listed. ${explainError(error).message}`;
    return [{ check, grade: 'warning', message, remedy: 'Allow sqs:ListQueues; see docs/policies/operator.json.' }];
  }
  return Promise.all(
    urls.map(async (url): Promise<Finding> => {
      const number = await messagesIn(target, url);
      const name = queueName(url);
      if (number === 0) {
        const message = `${name} is empty and no longer part of the stage.`;
        return { check, grade: 'warning', message, remedy: `Delete it: aws sqs delete-queue --queue-url ${url}` };
      }
      return {
        check,
        grade: 'failing',
        message:
          `${count(number, 'bulk request')} in ${name}, which is no longer part of the stage. Nothing sends them, and ` +
          'SQS deletes them 14 days after they were queued.',
        remedy: `Move them to the stage's own queue: ${commandFor('parley dead-letters redrive bulk')}.`,
      };
    }),
  );
};

const SOURCES: Readonly<Record<KeptQueue, string>> = {
  send: 'from the send queue',
  bulk: 'from the bulk queue',
  schedules: 'of schedules',
  inbound: 'from the inbound queue',
  erasures: 'of erasures',
};

/** Counts the dead letters in the queues and in the table. */
export const checkDeadLetters = async (
  { sqs, addresses }: Target,
  api: ManagementClient,
  commandFor: CommandFor,
): Promise<readonly Finding[]> => {
  const urls: Readonly<Record<KeptQueue, string | undefined>> = {
    send: addresses.sendDeadLetterQueueUrl,
    bulk: addresses.bulkSendDeadLetterQueueUrl,
    schedules: addresses.scheduleDeadLetterQueueUrl,
    inbound: addresses.inboundDeadLetterQueueUrl,
    erasures: addresses.erasureDeadLetterQueueUrl,
  };
  const findings = await Promise.all(
    KEPT_QUEUES.map(async (name): Promise<readonly Finding[]> => {
      let number = await messagesIn({ sqs }, urls[name]);
      for await (const _kept of keptDeadLetters(api, name, {})) number += 1;
      if (number === 0) return [];
      const message = `${count(number, 'dead letter')} ${SOURCES[name]}.`;
      return [{ check, grade: 'warning', message, remedy: remedyFor(commandFor, name) }];
    }),
  );
  return findings.flat();
};

const remedyFor = (commandFor: CommandFor, name: DeadLetterQueueName): string =>
  `See ${commandFor(`parley dead-letters list ${name}`)}. ` +
  `Fix the cause, then run ${commandFor(`parley dead-letters redrive ${name}`)}.`;

const messagesIn = async ({ sqs }: Pick<Target, 'sqs'>, url: string | undefined): Promise<number> =>
  url === undefined ? 0 : countAllMessages(sqs, url);
