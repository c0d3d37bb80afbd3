import {
  ChangeMessageVisibilityBatchCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { summarizeError } from '../domain/describe-error.ts';
import { LoggableError } from '../domain/errors.ts';
import { queueJson } from '../domain/queue-json.ts';
import { serializeRequest } from '../domain/serialized-request.ts';
import { TRACEPARENT, type Traceparent } from '../domain/trace-context.ts';
import type { VerifiedRequest } from '../domain/webhook-request.ts';
import type {
  ErasureQueue,
  InboundQueue,
  PublishDeadLetterQueue,
  RedriveQueue,
  SendDeadLetterQueue,
  SendQueue,
  TurnQueue,
  VisibilityChange,
  WriteResult,
} from '../ports.ts';
import { withinBudget } from '../runtime/time-budget.ts';

export const createSqsClient = (config: SQSClientConfig): SQSClient => new SQSClient(config);

export interface InboundQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** The time budget for sending one message, including the SDK's retries. */
  readonly budgetMs: number;
}

export interface SqsInboundQueue extends InboundQueue {
  /** Puts a message on the dead-letter queue as it is, with as much of the reason as fits. */
  quarantineMessage(body: string, reason: string): Promise<WriteResult>;
}

/** Messages have the same format on both queues, so that quarantined requests can be redriven. */
export const createSqsInboundQueue = (options: InboundQueueOptions): SqsInboundQueue => {
  const { client, queueUrl, deadLetterQueueUrl, budgetMs } = options;
  const put = async (url: string, request: VerifiedRequest, reason?: string): Promise<WriteResult> => {
    const MessageBody = serializeRequest(request, reason);
    if (MessageBody === undefined) return { kind: 'refused', reason: 'The request is too large for the queue.' };
    return send(url, MessageBody, reason);
  };
  const send = async (QueueUrl: string, MessageBody: string, reason?: string): Promise<WriteResult> => {
    try {
      const command = new SendMessageCommand({
        QueueUrl,
        MessageBody,
        MessageAttributes: reason === undefined ? undefined : reasonAttribute(reason),
      });
      await withinBudget(budgetMs, (abortSignal) => client.send(command, { abortSignal }));
      return { kind: 'written' };
    } catch (error) {
      return { kind: 'unavailable', reason: summarizeError(error) };
    }
  };
  return {
    defer: (request) => put(queueUrl, request),
    quarantine: (request, reason) => put(deadLetterQueueUrl, request, acceptableReason(reason)),
    quarantineMessage: (body, reason) => send(deadLetterQueueUrl, body, reasonBeside(body, reason)),
  };
};

/** @param abortSignal ends a put that has not been answered. @default none */
export const createSqsSendQueue = (client: SQSClient, queueUrl: string, abortSignal?: AbortSignal): SendQueue => ({
  async put({ body, groupId, deduplicationId, traceparent }) {
    const fifo = { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId };
    const MessageAttributes = traceAttribute(traceparent);
    const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, ...fifo, MessageAttributes });
    await client.send(command, { abortSignal });
  },
});

export const createSqsSendDeadLetterQueue = (client: SQSClient, queueUrl: string): SendDeadLetterQueue => ({
  async put({ body, groupId, deduplicationId, traceparent }, reason) {
    const fifo = { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId };
    const MessageAttributes = { ...reasonAttribute(reason), ...traceAttribute(traceparent) };
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, ...fifo, MessageAttributes }));
  },
});

export const createSqsErasureQueue = (client: SQSClient, queueUrl: string): ErasureQueue => ({
  async put(erasure, DelaySeconds) {
    const MessageBody = JSON.stringify(erasure);
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, DelaySeconds }));
  },
});

export const createSqsTurnQueue = (client: SQSClient, queueUrl: string): TurnQueue => ({
  async put(turn, DelaySeconds) {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: queueJson(turn), DelaySeconds }));
  },
});

/**
 * A redriven dead letter has no reason, so it fits into the queue again. SQS could drop its original deduplication ID as a
 * duplicate; the new one still drops a repeated redrive.
 */
export const createSqsRedriveQueue = (client: SQSClient, url: string): RedriveQueue => ({
  url,
  async put({ id, body, groupId, traceparent }) {
    const fifo = groupId !== undefined && { MessageGroupId: groupId, MessageDeduplicationId: `redrive-${id}` };
    const MessageAttributes = traceAttribute(traceparent);
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, ...fifo, MessageAttributes }));
  },
});

/** The maximum message size of SQS, attributes included. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Leaves room for the reason attribute. */
const MAX_CHANGE_BYTES = MAX_MESSAGE_BYTES - 8_192;

/** Lambda puts its own records of failed stream batches on the same queue. */
export const createSqsPublishDeadLetterQueue = (client: SQSClient, queueUrl: string): PublishDeadLetterQueue => ({
  async put({ sequenceNumber, record }, reason) {
    const whole = queueJson({ reason, sequenceNumber, record });
    const fits = Buffer.byteLength(whole) <= MAX_CHANGE_BYTES;
    const MessageBody = fits ? whole : queueJson({ reason, sequenceNumber, keys: keysIn(record) });
    const MessageAttributes = reasonAttribute(reason);
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, MessageAttributes }));
  },
});

/** Returns the key of the changed item, from which its events can be derived again. */
const keysIn = (record: unknown): unknown => Object(Object(record).dynamodb).Keys;

/** Creates the function that sets, in one call, when up to ten messages become visible again. */
export const createChangeVisibility =
  (client: SQSClient, queueUrl: string) =>
  async (changes: readonly VisibilityChange[]): Promise<void> => {
    const Entries = changes.map(({ receiptHandle, seconds }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }));
    const { Failed = [] } = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
    const [failed] = Failed;
    if (failed) {
      const error = new LoggableError(`SQS refused ${Failed.length} of ${changes.length} messages.`);
      throw Object.assign(error, { code: failed.Code });
    }
  };

/** A reason may quote a request, so its length is limited to keep the message within SQS's size limit. */
const MAX_REASON_CHARACTERS = 500;

/**
 * Makes a reason acceptable to SQS, which rejects characters that XML 1.0 does not allow.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const acceptableReason = (reason: string): string =>
  reason
    .slice(0, MAX_REASON_CHARACTERS)
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');

/** Returns an attribute that says why a message is on a dead-letter queue. Operators can filter by it. */
const reasonAttribute = (reason: string): Record<string, MessageAttributeValue> => ({
  reason: { DataType: 'String', StringValue: acceptableReason(reason) },
});

/** What SQS counts of the attribute beside its value: its name and its type. */
const ATTRIBUTE_BYTES = 'reasonString'.length;

/** Cuts a reason so that its attribute fits beside a message. SQS refuses an attribute without a value. */
const reasonBeside = (body: string, reason: string): string | undefined => {
  const left = MAX_MESSAGE_BYTES - Buffer.byteLength(body) - ATTRIBUTE_BYTES;
  // UTF-8 writes each character with at most three bytes, or a pair of them with four.
  const fitting = reason.slice(0, Math.max(0, Math.floor(left / 3)));
  return fitting === '' ? undefined : fitting;
};

const traceAttribute = (traceparent: Traceparent | undefined): Record<string, MessageAttributeValue> | undefined =>
  traceparent === undefined ? undefined : { [TRACEPARENT]: { DataType: 'String', StringValue: traceparent } };
