import { GetQueueAttributesCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { TraceSearch } from '../../lambdas/domain/traces.ts';
import { makeVisible } from './dead-letter-queue.ts';
import type { StoreScan, Trace } from './store-scan.ts';

/** Dead letters can be hidden for as long as the search takes. The consumers of other queues must not wait long. */
const LIMITS = { deadLetters: { hiddenSeconds: 300, readMs: 240_000 }, live: { hiddenSeconds: 30, readMs: 15_000 } };
const MAX_MESSAGES = 10;

/**
 * Searches the messages of a queue. Messages can be read only by receiving them, so each is hidden from its consumers
 * until the end of the search, and its receive count goes up by one.
 */
export const scanQueue = async (sqs: SQSClient, QueueUrl: string, search: TraceSearch): Promise<StoreScan> => {
  const store = `queue ${QueueUrl.split('/').at(-1)}`;
  const { depth, isLive } = await describeQueue(sqs, QueueUrl);
  const { hiddenSeconds, readMs } = isLive ? LIMITS.live : LIMITS.deadLetters;
  const endBy = performance.now() + readMs;
  const traces: Trace[] = [];
  const handles: string[] = [];
  try {
    for (let isEmpty = false; !isEmpty && performance.now() < endBy; ) {
      const messages = await receive(sqs, QueueUrl, hiddenSeconds);
      isEmpty = messages.length === 0;
      for (const { MessageId = '', Body, Attributes, MessageAttributes, ReceiptHandle = '' } of messages) {
        handles.push(ReceiptHandle);
        const fields = search.inValue({ Body, Attributes, MessageAttributes });
        if (fields.length > 0) traces.push({ store, place: MessageId, fields });
      }
    }
  } finally {
    await release(sqs, QueueUrl, handles);
  }
  const unread = Math.max(0, depth - handles.length);
  return { searched: { store, kind: 'messages', count: handles.length, unread }, traces };
};

const describeQueue = async (sqs: SQSClient, QueueUrl: string) => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
        'RedrivePolicy',
      ],
    }),
  );
  const { RedrivePolicy, ...depths } = Attributes;
  return {
    depth: Object.values(depths).reduce((sum, depth) => sum + Number(depth), 0),
    // In a stack, every queue that has a consumer has a dead-letter queue.
    isLive: RedrivePolicy !== undefined,
  };
};

const receive = async (sqs: SQSClient, QueueUrl: string, hiddenSeconds: number): Promise<readonly Message[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: MAX_MESSAGES,
      VisibilityTimeout: hiddenSeconds,
      // Long polling asks all SQS servers; short polling can miss messages.
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
    }),
  );
  return Messages;
};

/** Ignores refused entries: a message that is not released becomes visible when its visibility timeout ends. */
const release = async (sqs: SQSClient, QueueUrl: string, handles: readonly string[]): Promise<void> => {
  for (let start = 0; start < handles.length; start += MAX_MESSAGES) {
    await makeVisible(sqs, QueueUrl, handles.slice(start, start + MAX_MESSAGES));
  }
};
