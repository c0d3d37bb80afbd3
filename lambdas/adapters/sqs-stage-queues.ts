import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Seconds } from '../domain/duration.ts';
import { createChangeVisibility, createSqsErasureQueue, createSqsRedriveQueue, createSqsSendQueue } from './sqs.ts';
import { createSqsSendBacklog } from './sqs-backlog.ts';
import {
  createSqsDeadLetterSource,
  createSqsQueuedDeadLetters,
  INVOCATION_SECONDS,
  REDRIVE_SECONDS,
} from './sqs-dead-letters.ts';

/** The URLs of a stage's queues. It may have no receiver, no bulk queue, no publisher, and no targets. */
export interface StageQueueUrls {
  readonly queues: {
    readonly send: string;
    readonly bulk: string | undefined;
    readonly inbound: string | undefined;
    readonly erasures: string;
  };
  readonly deadLetters: {
    readonly send: string;
    readonly bulk: string | undefined;
    readonly inbound: string | undefined;
    readonly schedules: string;
    readonly erasures: string;
    readonly publishing: string | undefined;
    readonly targets: string | undefined;
  };
  /** Further queues that an erasure searches. */
  readonly others: readonly string[];
}

/**
 * Creates what manages a stage's queues.
 *
 * @param keep stores a dead letter in the table
 */
export const createSqsStageQueues = (
  sqs: SQSClient,
  { queues, deadLetters, others }: StageQueueUrls,
  keep: Parameters<typeof createSqsQueuedDeadLetters>[2],
) => {
  const { send, bulk, inbound, schedules, erasures, publishing, targets } = deadLetters;
  const redriven = { sourceUrl: undefined, hiddenSeconds: REDRIVE_SECONDS };

  /** The dead letters that belong on a queue. Received ones are hidden for `hiddenSeconds`. */
  const sourcesOf = (hiddenSeconds: Seconds) => {
    const options = { sourceUrl: undefined, hiddenSeconds };
    return {
      send: createSqsDeadLetterSource(sqs, 'send', send, options),
      ...(bulk !== undefined && { bulk: createSqsDeadLetterSource(sqs, 'bulk', bulk, options) }),
      ...(inbound !== undefined && {
        inbound: createSqsDeadLetterSource(sqs, 'inbound', inbound, { sourceUrl: queues.inbound, hiddenSeconds }),
      }),
      schedules: createSqsDeadLetterSource(sqs, 'schedules', schedules, options),
      erasures: createSqsDeadLetterSource(sqs, 'erasures', erasures, options),
    };
  };

  return {
    queue: createSqsSendQueue(sqs, queues.send),
    backlog: createSqsSendBacklog(sqs, { queue: queues.send, bulk: queues.bulk }),
    erasureQueue: createSqsErasureQueue(sqs, queues.erasures),
    changeVisibility: createChangeVisibility(sqs, queues.erasures),
    /** The dead letters that an operator redrives, and the queues that they go back to. */
    redrivenSources: sourcesOf(REDRIVE_SECONDS),
    redriveQueues: {
      send: createSqsRedriveQueue(sqs, queues.send),
      ...(queues.bulk !== undefined && { bulk: createSqsRedriveQueue(sqs, queues.bulk) }),
      ...(queues.inbound !== undefined && { inbound: createSqsRedriveQueue(sqs, queues.inbound) }),
      erasures: createSqsRedriveQueue(sqs, queues.erasures),
    },
    /** The events that are published again. */
    publishing:
      publishing === undefined ? undefined : createSqsDeadLetterSource(sqs, 'publishing', publishing, redriven),
    targets: targets === undefined ? undefined : createSqsDeadLetterSource(sqs, 'targets', targets, redriven),
    /** The dead letters that the daily schedule keeps. */
    kept: Object.values(sourcesOf(INVOCATION_SECONDS)),
    queuedDeadLetters: createSqsQueuedDeadLetters(
      sqs,
      {
        send,
        bulk,
        others: [
          schedules,
          // An earlier erasure of the same contact, which is done by then.
          erasures,
          ...(inbound === undefined ? [] : [inbound]),
          ...others,
        ],
      },
      keep,
    ),
  };
};
