import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type DeadLetter, type DeadLetterQueueName, deadLetterReason } from '../domain/dead-letter.ts';
import type { DeadLetterText } from '../domain/dead-letter-subject.ts';
import { type Seconds, seconds } from '../domain/duration.ts';
import { toInstant } from '../domain/instant.ts';
import { parseTraceparent, TRACEPARENT } from '../domain/trace-context.ts';
import type { DeadLetterSource, QueuedDeadLetters } from '../ports.ts';
import { allOrFirstError } from '../runtime/concurrency.ts';
import { countMessages } from './sqs-backlog.ts';

/** Longer than the function's timeout, so that no message is received twice in an invocation. */
export const INVOCATION_SECONDS = seconds(90);
/**
 * Long enough for a redrive, which takes several calls, to receive the 120,000 messages that a queue returns before some
 * are deleted or released. Otherwise, it would receive the first ones again instead of the others.
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export const REDRIVE_SECONDS = seconds(600);
/** Longer than a pass of an erasure, so that no dead letter is received twice in one. */
const ERASURE_PASS_SECONDS = 60;
const MAX_MESSAGES = 10;

export interface DeadLetterSourceOptions {
  readonly sourceUrl: string | undefined;
  readonly hiddenSeconds: Seconds;
}

/**
 * Reads a dead-letter queue.
 *
 * @param sourceUrl the only queue whose dead letters it may have. Any queue of the account can name it as its dead-letter
 *   queue, and SQS then moves messages there whatever the queue's policy says. Undefined for any queue
 * @param hiddenSeconds for how long received messages are hidden
 */
export const createSqsDeadLetterSource = <Queue extends DeadLetterQueueName>(
  client: SQSClient,
  queue: Queue,
  url: string,
  { sourceUrl, hiddenSeconds }: DeadLetterSourceOptions,
): DeadLetterSource<Queue> => ({
  queue,

  depth: () => countMessages(client, url),

  async receive() {
    const messages = await receive(client, url, hiddenSeconds);
    return messages.map((message) => ({
      ...deadLetterOf(queue, message),
      receiptHandle: message.ReceiptHandle ?? '',
      ...(isForeign(message.Attributes?.DeadLetterQueueSourceArn, sourceUrl) && { isForeign: true }),
    }));
  },

  remove: ({ receiptHandle }) => remove(client, url, receiptHandle),

  release: (messages) =>
    release(
      client,
      url,
      messages.map(({ receiptHandle }) => receiptHandle),
    ),
});

const deadLetterOf = <Queue extends DeadLetterQueueName>(
  queue: Queue,
  { MessageId = '', Body = '', Attributes, MessageAttributes = {} }: Message,
): DeadLetter<Queue> => {
  const groupId = Attributes?.MessageGroupId;
  const traceparent = parseTraceparent(MessageAttributes[TRACEPARENT]?.StringValue);
  const attributes = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]);
  return {
    id: MessageId,
    queue,
    reason: deadLetterReason(Object.fromEntries(attributes), Body),
    body: Body,
    ...(groupId !== undefined && { groupId }),
    ...(traceparent && { traceparent }),
    since: toInstant(new Date(Number(Attributes?.SentTimestamp))),
  };
};

/** A message that was put on the dead-letter queue directly has no source. The queue's policy says who may do that. */
const isForeign = (sourceArn: string | undefined, sourceUrl: string | undefined): boolean =>
  sourceArn !== undefined &&
  sourceUrl !== undefined &&
  sourceArn.split(':').slice(-2).join('/') !== new URL(sourceUrl).pathname.slice(1);

/** The URLs of the dead-letter queues to search. Only `send` and `bulk` are FIFO queues. */
export interface SearchedQueueUrls {
  readonly send: string;
  readonly bulk: string | undefined;
  readonly others: readonly string[];
}

/**
 * Creates the search of the dead letters in these queues. SQS offers no search, so it receives all of them, deletes
 * the wanted ones, and makes the others visible again. Concurrent searches would hide messages from each other, so
 * those of a process take turns.
 *
 * @param keep stores a dead letter in the table. Called for each one that hides others, before it leaves the queue
 */
export const createSqsQueuedDeadLetters = (
  client: SQSClient,
  { send, bulk, others }: SearchedQueueUrls,
  keep: (deadLetter: DeadLetter) => Promise<void>,
): QueuedDeadLetters => {
  let previous: Promise<unknown> = Promise.resolve();
  return {
    async remove(isWanted, hasTime) {
      const search = previous.then(() =>
        allOrFirstError([
          removeFrom(client, send, isWanted, hasTime, (message) => keep(deadLetterOf('send', message))),
          ...(bulk === undefined
            ? []
            : [removeFrom(client, bulk, isWanted, hasTime, (message) => keep(deadLetterOf('bulk', message)))]),
          ...others.map((url) => removeFrom(client, url, isWanted, hasTime)),
        ]),
      );
      previous = search.catch(() => undefined);
      const results = await search;
      return {
        removed: results.reduce((sum, { removed }) => sum + removed, 0),
        isComplete: results.every(({ isComplete }) => isComplete),
      };
    },
  };
};

/** @param keep stores a message elsewhere. Required for a FIFO queue */
const removeFrom = async (
  client: SQSClient,
  QueueUrl: string,
  isWanted: (deadLetter: DeadLetterText) => boolean,
  hasTime: () => boolean,
  keep?: (message: Message) => Promise<void>,
) => {
  // Another consumer may have received a wanted one, and may release it later. Of two searches that start at about the
  // same time, the later one receives nothing, so that the other can end.
  if ((await countMessages(client, QueueUrl)).inFlight > 0) return { removed: 0, isComplete: false };
  let others: readonly Message[] = [];
  // SQS returns at most ten messages at once, as many as possible of the same group, and no more of a group while one of
  // them is in flight. So the last message of a full batch may hide others.
  // Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
  const cutOffGroups = new Set<string>();
  let removed = 0;

  /** Deletes the wanted messages of one receive. Returns whether it received any messages. */
  const removeNext = async (): Promise<boolean> => {
    const messages = await receive(client, QueueUrl, ERASURE_PASS_SECONDS);
    for (const message of messages) {
      const { Body: body = '', Attributes } = message;
      if (isWanted({ body, groupId: Attributes?.MessageGroupId })) {
        await remove(client, QueueUrl, message.ReceiptHandle);
        removed += 1;
      } else others = [...others, message];
    }
    const last = messages.at(-1);
    if (last === undefined) return false;
    for (const message of messages) cutOffGroups.delete(groupOf(message));
    if (messages.length === MAX_MESSAGES) cutOffGroups.add(groupOf(last));
    return true;
  };

  /** Deletes the wanted messages of the queue. Returns whether it saw every message. */
  const removeAll = async (): Promise<boolean> => {
    while (hasTime()) {
      if (await removeNext()) continue;
      const { available, inFlight } = await countMessages(client, QueueUrl);
      // Another consumer may also have received some in the meantime.
      if (inFlight > others.length || !hasTime()) return false;
      // The next receive returns messages that have just arrived or been released. Those that it does not are hidden.
      if (await removeNext()) continue;
      if (keep === undefined || others.length === 0 || available === 0) return true;
      const groups = Map.groupBy(others, groupOf);
      const hiding = groups.get([...cutOffGroups].find((name) => groups.has(name)) ?? '') ?? others;
      for (const one of hiding) {
        if (!hasTime()) return false;
        await keep(one);
        await remove(client, QueueUrl, one.ReceiptHandle);
        others = others.filter((other) => other !== one);
      }
    }
    return false;
  };

  try {
    const isComplete = await removeAll();
    return { removed, isComplete };
  } finally {
    const receiptHandles = others.map(({ ReceiptHandle = '' }) => ReceiptHandle);
    await release(client, QueueUrl, receiptHandles);
  }
};

const groupOf = ({ Attributes }: Message): string => Attributes?.MessageGroupId ?? '';

const receive = async (client: SQSClient, QueueUrl: string, VisibilityTimeout: number): Promise<readonly Message[]> => {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: MAX_MESSAGES,
      VisibilityTimeout,
      // Long polling asks all SQS servers; short polling can miss messages.
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['SentTimestamp', 'MessageGroupId', 'DeadLetterQueueSourceArn'],
    }),
  );
  return Messages;
};

const remove = async (client: SQSClient, QueueUrl: string, ReceiptHandle = ''): Promise<void> => {
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
};

/** Ignores refused entries: a message that is not released becomes visible when its visibility timeout ends. */
const release = async (client: SQSClient, QueueUrl: string, receiptHandles: readonly string[]): Promise<void> => {
  for (let start = 0; start < receiptHandles.length; start += MAX_MESSAGES) {
    const Entries = receiptHandles
      .slice(start, start + MAX_MESSAGES)
      .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  }
};
