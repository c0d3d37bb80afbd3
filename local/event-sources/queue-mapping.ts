import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { REGION } from '../base/aws-environment.ts';
import { messageOf } from '../base/local-error.ts';
import type { InvokeFunction } from '../functions/invocation.ts';
import { failedItems } from './batch-response.ts';

/** An event source mapping of a queue, as the template declares it. */
export interface QueueMappingDeclaration {
  readonly logicalId: string;
  readonly queueArn: string;
  readonly functionNameOrArn: string;
  readonly batchSize: number;
  readonly batchingWindowMs: number;
  readonly reportsBatchItemFailures: boolean;
  readonly maximumConcurrency: number | undefined;
}

export interface QueueMappingContext {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly invoke: InvokeFunction;
  /** The maximum number of batches to process concurrently. */
  readonly concurrency: number;
  readonly warn: (message: string) => void;
}

/** A running event source mapping. */
export interface RunningMapping {
  /** Stops reading batches. */
  readonly stop: () => void;
  /** Resolves when the mapping is stopped and its last invocations have ended. */
  readonly ended: Promise<void>;
}

/** SQS receives or deletes at most ten messages per call. */
const SQS_BATCH_SIZE = 10;
/** The maximum wait time of a receive. */
const LONG_POLL_SECONDS = 20;
const RETRY_DELAY_MS = 1_000;

/**
 * Starts passing a queue's messages to a function. Each poller receives a batch, invokes the function, and deletes the
 * messages that succeeded. Failed messages become visible again after the visibility timeout. The queue keeps the order
 * within each message group.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const startQueueMapping = (
  declaration: QueueMappingDeclaration,
  { sqs, queueUrl, invoke, concurrency, warn }: QueueMappingContext,
): RunningMapping => {
  const { logicalId, queueArn, batchSize, batchingWindowMs, reportsBatchItemFailures } = declaration;
  const stop = new AbortController();

  const receive = async (limit: number, waitSeconds: number): Promise<readonly Message[]> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(SQS_BATCH_SIZE, limit),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: stop.signal },
    );
    return Messages;
  };

  const receiveBatch = async (): Promise<readonly Message[]> => {
    const batch = [...(await receive(batchSize, LONG_POLL_SECONDS))];
    const windowEnd = performance.now() + batchingWindowMs;
    while (batch.length > 0 && batch.length < batchSize && performance.now() < windowEnd) {
      const seconds = Math.min(LONG_POLL_SECONDS, Math.ceil((windowEnd - performance.now()) / 1000));
      batch.push(...(await receive(batchSize - batch.length, seconds)));
    }
    return batch;
  };

  const remove = async (messages: readonly Message[]): Promise<void> => {
    for (let start = 0; start < messages.length; start += SQS_BATCH_SIZE) {
      const Entries = messages
        .slice(start, start + SQS_BATCH_SIZE)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  };

  const poll = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        const batch = await receiveBatch();
        if (batch.length === 0) continue;
        const Records = batch.map((message) => sqsRecord(message, queueArn));
        const result = await invoke(JSON.stringify({ Records }));
        const ids = Records.map(({ messageId }) => messageId);
        const failed = failedItems(result, ids, reportsBatchItemFailures);
        await remove(batch.filter(({ MessageId = '' }) => !failed.has(MessageId)));
      } catch (error) {
        if (stop.signal.aborted) return;
        warn(`${logicalId}: the queue did not respond (${messageOf(error)}). Retrying in a second.`);
        await pause(RETRY_DELAY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    }
  };

  const pollers = Array.from({ length: concurrency }, poll);
  return { stop: () => stop.abort(), ended: Promise.all(pollers).then(() => undefined) };
};

/**
 * Returns a message in the format that Lambda passes to functions.
 *
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html, "Example standard queue message event" and
 * "Example FIFO queue message event"
 */
const sqsRecord = (message: Message, queueArn: string) => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes ?? {},
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, messageAttribute(value)]),
  ),
  ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: REGION,
});

const messageAttribute = (value: MessageAttributeValue) => ({
  ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
  ...(value.BinaryValue !== undefined && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: value.DataType ?? 'String',
});
