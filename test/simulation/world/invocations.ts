import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import type { ReceivedMessage } from '../../../local/emulators/sqs/queue.ts';
import { throwing } from './faults.ts';
import type { SimulatedPlainQueue } from './queues.ts';
import { LIMITS } from './send-process.ts';
import type { Turns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A process that handles messages of a queue. */
export interface QueueProcess {
  readonly name: string;
  handle(records: readonly SQSRecord[], invocation: Invocation): Promise<SQSBatchResponse>;
}

export interface InvocationsOptions {
  readonly clock: VirtualClock;
  readonly turns: Turns;
  readonly queue: SimulatedPlainQueue;
  readonly batchSize: number;
  readonly concurrency: number;
  /** When an invocation is ended. */
  readonly limitMs: number;
  /** The time that the function is given. @default that of the function `send` */
  readonly timeoutMs?: number;
  /** Starts the process of one invocation. */
  readonly start: (name: string) => QueueProcess;
  /** The prefix of the name of an invocation's process. @default 'd' */
  readonly prefix?: string;
}

/** Lambda's event source mapping of a queue, and the processes that it invokes. */
export interface Invocations {
  /** How many there were. */
  readonly count: number;
  /** Starts invocations as long as there are messages to receive. */
  startAll(): void;
  /** Ends the invocations that have reached their limit, with their processes. */
  endOverdue(): void;
  /** Forgets the invocation of a process that died. Its messages become visible again after their timeout. */
  forget(name: string): void;
  nextDeadline(): number | undefined;
  key(): string;
}

/** The time that the function `send` is given. */
const LAMBDA_LIMIT_MS = LIMITS.timeoutSeconds * 1000;

export const createInvocations = (options: InvocationsOptions): Invocations => {
  const { clock, turns, queue, batchSize, concurrency, limitMs, timeoutMs = LAMBDA_LIMIT_MS, prefix = 'd' } = options;
  /** When each running invocation ends, by process. */
  const deadlines = new Map<string, number>();
  let active = 0;
  let count = 0;

  const end = (name: string): void => {
    if (deadlines.delete(name)) active -= 1;
  };

  const startProcess = ([first]: readonly ReceivedMessage[]): QueueProcess => {
    // Named after its delivery, so that the order of the invocations does not matter.
    return options.start(`${prefix}${queue.placeOf(first?.messageId ?? '')}.${first?.receiveCount}`);
  };

  /** Deletes the messages that did not fail, and lets the others become visible again. */
  const invoke = async (process: QueueProcess, messages: readonly ReceivedMessage[]): Promise<void> => {
    const { name } = process;
    const startedAt = clock.ms;
    active += 1;
    deadlines.set(name, startedAt + limitMs);
    turns.observe(name, `invoked with ${messages.map(({ body, receiveCount }) => `${body} ${receiveCount}`).join()}`);
    const getRemainingTimeInMillis = () => startedAt + timeoutMs - clock.ms;
    const result = await process
      .handle(
        messages.map((message) => recordOf(message)),
        { getRemainingTimeInMillis },
      )
      .catch(() => undefined);
    const failed = new Set(result?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { messageId, receiptHandle } of result ? messages : []) {
      if (failed.has(messageId)) continue;
      const perform = () => queue.delete(receiptHandle);
      const deletion = { process: name, label: 'delete the message', perform, failures: throwing<void>('The queue') };
      await turns.call({ ...deletion, canEndProcess: false, isIndependent: true }).catch(() => undefined);
    }
    end(name);
    turns.forget(name);
  };

  return {
    get count() {
      return count;
    },
    startAll() {
      while (active < concurrency && queue.visible > 0) {
        const messages = queue.receive(batchSize);
        if (messages.length === 0) return;
        count += 1;
        void invoke(startProcess(messages), messages);
      }
    },
    endOverdue() {
      for (const [name, deadline] of deadlines) if (deadline <= clock.ms) turns.kill(name);
    },
    forget: end,
    nextDeadline: () => (deadlines.size === 0 ? undefined : Math.min(...deadlines.values())),
    key: () => [count, ...deadlines].join(),
  };
};

/** Returns a message in the format that Lambda passes to functions. */
export const recordOf = (message: ReceivedMessage, queue = 'messages'): SQSRecord => ({
  messageId: message.messageId,
  receiptHandle: message.receiptHandle,
  body: message.body,
  attributes: {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: 'simulation',
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.sequenceNumber && { SequenceNumber: message.sequenceNumber }),
    ...(message.groupId && { MessageGroupId: message.groupId }),
    ...(message.deduplicationId && { MessageDeduplicationId: message.deduplicationId }),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
  awsRegion: 'us-east-1',
});
