import { setTimeout as pause } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { InvokeFunction } from '../lambda/function-declaration.ts';
import { messageOf } from '../local-error.ts';
import { failedMessages } from './failed-messages.ts';
import { sqsRecord } from './sqs-event.ts';

/** A mapping as the template declares it. */
export interface EventSourceMappingDeclaration {
  readonly logicalId: string;
  readonly queueArn: string;
  readonly functionNameOrArn: string;
  readonly batchSize: number;
  readonly batchingWindowMs: number;
  readonly reportsBatchItemFailures: boolean;
  readonly maximumConcurrency: number | undefined;
}

/** What a mapping works with. */
export interface EventSourceMappingSurroundings {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly region: string;
  readonly invoke: InvokeFunction;
  /** How many batches are worked on at once, at most. */
  readonly concurrency: number;
  readonly warn: (message: string) => void;
}

/** A mapping at work. */
export interface RunningMapping {
  /** Receives nothing more. */
  readonly stop: () => void;
  /** Settles once it is stopped and what it had handed over is done. */
  readonly ended: Promise<void>;
}

/** SQS gives at most ten messages at a time, and deletes at most ten. */
const SQS_BATCH = 10;
/** SQS's longest wait, in seconds. */
const LONG_POLL_SECONDS = 20;

/**
 * Feeds a queue's messages to a function: each poller receives a batch, invokes the function and deletes what did not
 * fail. What failed comes again after its visibility time-out; the order within a group is kept by the queue's own lock.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const startEventSourceMapping = (
  declaration: EventSourceMappingDeclaration,
  surroundings: EventSourceMappingSurroundings,
): RunningMapping => {
  const { sqs, queueUrl, region, invoke, concurrency, warn } = surroundings;
  const stop = new AbortController();

  const receive = async (most: number, waitSeconds: number): Promise<readonly Message[]> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(SQS_BATCH, most),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: stop.signal },
    );
    return Messages;
  };

  const receiveBatch = async (): Promise<readonly Message[]> => {
    const batch = [...(await receive(declaration.batchSize, LONG_POLL_SECONDS))];
    const windowEnd = performance.now() + declaration.batchingWindowMs;
    while (batch.length > 0 && batch.length < declaration.batchSize && performance.now() < windowEnd) {
      const seconds = Math.min(LONG_POLL_SECONDS, Math.ceil((windowEnd - performance.now()) / 1000));
      batch.push(...(await receive(declaration.batchSize - batch.length, seconds)));
    }
    return batch;
  };

  const remove = async (messages: readonly Message[]): Promise<void> => {
    for (let start = 0; start < messages.length; start += SQS_BATCH) {
      const Entries = messages
        .slice(start, start + SQS_BATCH)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  };

  const poll = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const batch = await receiveBatch();
        if (batch.length === 0) continue;
        const Records = batch.map((message) => sqsRecord(message, declaration.queueArn, region));
        const result = await invoke(JSON.stringify({ Records }));
        const ids = Records.map(({ messageId }) => messageId);
        const failed = failedMessages(result, ids, declaration.reportsBatchItemFailures);
        await remove(batch.filter(({ MessageId = '' }) => !failed.has(MessageId)));
      } catch (error) {
        if (stop.signal.aborted) return;
        warn(`${declaration.logicalId}: the queue did not answer (${messageOf(error)}); asking again in a second.`);
        await pause(1000, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  };

  const pollers = Array.from({ length: concurrency }, poll);
  const ended = Promise.all(pollers).then(() => undefined);
  return { stop: () => stop.abort(), ended };
};
