import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import type { Invocation } from '../../../lambdas/runtime/frame.ts';
import { recordOf } from '../world/invocations.ts';
import type { Entry } from './agenda.ts';
import type { FunctionPool } from './function-pool.ts';
import type { FunctionName } from './ledger.ts';
import type { StageCalls } from './stage-calls.ts';
import type { StageContext } from './stage-context.ts';
import type { StageQueue } from './stage-queues.ts';

/** Lambda's event source mapping of a queue. */
export interface QueueMapping {
  /** More messages may be available. */
  poke(): void;
}

export interface QueueMappingOptions<Handlers extends QueueHandlers> {
  readonly context: StageContext;
  readonly calls: StageCalls;
  readonly queue: StageQueue;
  readonly pool: FunctionPool<Handlers>;
  readonly function: FunctionName;
  readonly batchSize: number;
  readonly concurrency: number;
  /** The receive count at which drawn faults stop affecting the invocation of a message. @default never */
  readonly sparedFromReceive?: number;
}

interface QueueHandlers {
  handle(records: readonly SQSRecord[], invocation: Invocation): Promise<SQSBatchResponse>;
}

const MAX_POLL_MS = 50;

/** Creates a mapping that reports the failures of single messages, with a maximum concurrency. */
export const createQueueMapping = <Handlers extends QueueHandlers>(
  options: QueueMappingOptions<Handlers>,
): QueueMapping => {
  const { context, calls, queue, pool, batchSize, concurrency, sparedFromReceive = Number.POSITIVE_INFINITY } = options;
  const { clock, agenda, draw, next } = context;
  let active = 0;
  let polling: Entry | undefined;

  const pollAt = (atMs: number): void => {
    if (polling?.happen !== undefined) {
      if (polling.atMs <= atMs) return;
      agenda.cancel(polling);
    }
    polling = agenda.add(atMs, draw.identify(`poll ${queue.name}`), poll);
  };
  const pollSoon = (): void => pollAt(clock.ms + 1 + Math.floor(next(`poll ${queue.name}`) * MAX_POLL_MS));

  const poll = (): void => {
    const until = calls.unavailableUntil('queues');
    if (until !== undefined) {
      pollAt(until);
      return;
    }
    while (active < concurrency) {
      const messages = queue.receive(batchSize);
      if (messages.length === 0) break;
      active += 1;
      void invoke(messages);
    }
    const at = queue.nextVisibleAt();
    if (at !== undefined && active < concurrency) pollAt(Math.max(at, clock.ms + 1));
  };

  const invoke = async (messages: ReturnType<StageQueue['receive']>): Promise<void> => {
    const [first] = messages;
    const task = {
      function: options.function,
      about: `${first?.body} ${first?.receiveCount}`,
      messages: messages.length,
      isSpared: messages.some(({ receiveCount }) => receiveCount >= sparedFromReceive),
    };
    const end = await pool.invoke(task, (handlers, invocation) =>
      handlers.handle(
        messages.map((message) => recordOf(message, queue.name)),
        invocation,
      ),
    );
    active -= 1;
    const failed = new Set(end.how === 'answered' ? end.result.batchItemFailures.map((one) => one.itemIdentifier) : []);
    // Lambda retries a batch as a whole if the response names a message that is not in it.
    const isUnknown = [...failed].some((id) => !messages.some(({ messageId }) => messageId === id));
    if (end.how === 'answered' && !isUnknown) {
      for (const { messageId, receiptHandle } of messages) if (!failed.has(messageId)) deleteLater(receiptHandle);
    }
    pollSoon();
  };

  /** Lambda deletes a message after the invocation. If that fails, the message is received again. */
  const deleteLater = (receiptHandle: string): void => {
    const isLost = calls.hasFault(options.function, `delete from ${queue.name}`, 'fails-before');
    if (isLost || calls.unavailableUntil('queues') !== undefined) return;
    try {
      queue.delete(receiptHandle);
    } catch {
      // The visibility timeout has ended.
    }
  };
  return {
    poke: pollSoon,
  };
};
