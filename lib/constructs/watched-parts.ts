import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { ParleyManagement } from './management.ts';
import type { ParleyFunction } from './parley-function.ts';
import type { ParleyPublisher } from './publisher.ts';
import type { ParleyReceiver } from './receiver.ts';
import type { ParleySender } from './sender.ts';

/** The parts of a stage that alarms and the dashboard watch. */
export interface WatchedParts {
  readonly table: ITable;
  readonly receiver: ParleyReceiver;
  readonly sender: ParleySender;
  readonly publisher: ParleyPublisher;
  readonly management: ParleyManagement;
}

/** Returns the functions, by their titles. */
export function functionsOf({ receiver, sender, publisher, management }: WatchedParts): Record<string, ParleyFunction> {
  return {
    Receive: receiver.handler,
    Send: sender.handler,
    Publish: publisher.handler,
    Manage: management.handler,
  };
}

/** Returns the queues in which messages wait to be processed, by their titles. */
export function workQueuesOf({ receiver, sender, publisher, management }: WatchedParts): Record<string, IQueue> {
  return {
    inbound: receiver.inboundQueue,
    send: sender.sendQueue,
    ...(sender.bulkSendQueue && { 'bulk send': sender.bulkSendQueue }),
    ...(publisher.turnQueue && { turns: publisher.turnQueue }),
    erasures: management.erasureQueue,
  };
}

/** Returns the queues whose messages wait for an operator, by their titles. */
export function deadLetterQueuesOf(parts: WatchedParts): Record<string, IQueue> {
  const { receiver, sender, publisher, management } = parts;
  return {
    quarantine: receiver.inboundQueue.deadLetters,
    'send dead letters': sender.sendQueue.deadLetters,
    ...(sender.bulkSendQueue && { 'bulk send dead letters': sender.bulkSendQueue.deadLetters }),
    'schedule dead letters': sender.schedules.deadLetters,
    'erasure dead letters': management.erasureQueue.deadLetters,
    'publish failures': publisher.publishFailures,
    ...(publisher.targets && { 'undelivered events': publisher.targets.deadLetters }),
  };
}
