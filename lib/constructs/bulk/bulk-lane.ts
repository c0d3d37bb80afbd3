import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { z } from 'zod';
import type { BulkEnvironment } from '../../../lambdas/send/bulk/environment.ts';
import { type bulkLane, callIntervalMs, spreadCalls } from '../../settings/lane-settings.ts';
import { DeadLetteredQueue, type DeadLetteredQueueProps, grantSendMessage } from '../dead-lettered-queue.ts';
import { partOf } from '../stage-role.ts';

/** The bulk queue of a sender, with its own concurrency and pace. */
export class BulkLane {
  readonly queue: DeadLetteredQueue;
  /** What the function `send` needs for it. */
  readonly environment: BulkEnvironment;
  readonly #invocations: number;

  /** @param queueProps those of the send queue */
  constructor(sender: Construct, lane: NonNullable<z.output<typeof bulkLane>>, queueProps: DeadLetteredQueueProps) {
    const { invocations, callsPerInvocation } = spreadCalls(lane.maxConcurrentCalls);
    this.#invocations = invocations;
    this.queue = new DeadLetteredQueue(sender, 'BulkSendQueue', queueProps);
    this.environment = {
      BULK_SEND_QUEUE_URL: this.queue.queueUrl,
      BULK_SEND_DEAD_LETTER_QUEUE_URL: this.queue.deadLetters.queueUrl,
      BULK_MAX_CONCURRENT_CALLS: callsPerInvocation,
      // The stage's pace, divided among the invocations, which share no state.
      BULK_CALL_INTERVAL_MS:
        lane.maxCallsPerSecond === undefined ? undefined : callIntervalMs(lane.maxCallsPerSecond, invocations),
    };
  }

  connect(handler: IFunction): void {
    const bulk = partOf(handler, 'Bulk');
    this.queue.addConsumer(handler, this.#invocations, bulk);
    grantSendMessage(bulk, this.queue.deadLetters);
  }
}
