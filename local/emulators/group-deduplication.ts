import { isObject } from '../template/intrinsics.ts';

/** Stands between a group's id and a deduplication id; neither may contain it. */
const SEPARATOR = '\u0000';
// In an answer's JSON only a key can stand so: within a text the quotation marks would be escaped.
const SCOPED_ID = /("MessageDeduplicationId":")(?:[^"\\]|\\.)*?\\u0000/g;

/** Keeps what two groups of a queue send with one deduplication id apart, as far as the queue asks for that. */
export interface GroupDeduplication {
  /** Changes a request before the emulator reads it. */
  readonly scope: (action: string, body: unknown) => void;
  /** Takes the change out of an answer again. */
  readonly unscope: (answer: string) => string;
}

/**
 * Adds `DeduplicationScope: messageGroup` to an emulator that deduplicates per queue: such a queue's deduplication ids
 * are made unique per group on their way in, and what they were on their way out.
 *
 * Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
 */
export const createGroupDeduplication = (): GroupDeduplication => {
  const scopedQueues = new Set<unknown>();
  return {
    scope(action, body) {
      if (!isObject(body)) return;
      if (action === 'CreateQueue') {
        const { Attributes } = body;
        if (isObject(Attributes) && Attributes.DeduplicationScope === 'messageGroup') scopedQueues.add(body.QueueName);
      } else if (scopedQueues.has(String(body.QueueUrl).split('/').at(-1))) {
        for (const message of [body, ...(Array.isArray(body.Entries) ? body.Entries : [])]) scopeMessage(message);
      }
    },
    unscope: (answer) => answer.replaceAll(SCOPED_ID, '$1'),
  };
};

const scopeMessage = (message: unknown): void => {
  if (!isObject(message) || typeof message.MessageDeduplicationId !== 'string') return;
  message.MessageDeduplicationId = `${message.MessageGroupId}${SEPARATOR}${message.MessageDeduplicationId}`;
};
