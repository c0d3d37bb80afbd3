import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { Log, Metrics } from './ports.ts';

/** Done with a message, whatever came of it; or bring it again. */
export type MessageResult = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs?: number };

export interface QueueHandlerPorts {
  /** @param hasTime whether there still is `enoughTimeMs`, for handlers that wait before they begin in earnest */
  readonly handleMessage: (message: SQSRecord, hasTime: () => boolean) => Promise<MessageResult>;
  /** Sets when a message may be received again; without it the queue's visibility time-out rules. */
  readonly setVisibility?: (receiptHandle: string, seconds: number) => Promise<void>;
  /** With less of the invocation's time left, a message is not begun. */
  readonly enoughTimeMs: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * The frame around every queue's messages: groups run side by side, a group's messages one after another; a message that
 * must come again holds the rest of its group and no other.
 * Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
export const createQueueHandler =
  (ports: QueueHandlerPorts) =>
  async (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> => {
    const failed = await Promise.all(groupsOf(event.Records).map((group) => handleGroup(ports, group, context)));
    ports.metrics.flush();
    return { batchItemFailures: failed.flat().map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

/** Not the queue's whole visibility time-out, for which a group would stand still. */
const AFTER_AN_ERROR_MS = 10_000;

const groupsOf = (records: readonly SQSRecord[]): SQSRecord[][] => {
  const groups = Map.groupBy(records, (record) => record.attributes.MessageGroupId ?? record.messageId);
  return [...groups.values()];
};

/** Handles a group's messages in order; returns those that must come again. */
const handleGroup = async (
  ports: QueueHandlerPorts,
  group: readonly SQSRecord[],
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<readonly SQSRecord[]> => {
  const hasTime = () => context.getRemainingTimeInMillis() >= ports.enoughTimeMs;
  for (const [index, message] of group.entries()) {
    const result = hasTime() ? await handleSafely(ports, message, hasTime) : { kind: 'again' as const, afterMs: 0 };
    if (result.kind === 'done') continue;
    const again = group.slice(index);
    await delay(ports, again, result.afterMs);
    return again;
  }
  return [];
};

const handleSafely = async (
  { handleMessage, log }: QueueHandlerPorts,
  message: SQSRecord,
  hasTime: () => boolean,
): Promise<MessageResult> => {
  try {
    return await handleMessage(message, hasTime);
  } catch (error) {
    log.error('a message failed; it comes again', { messageId: message.messageId, error });
    return { kind: 'again', afterMs: AFTER_AN_ERROR_MS };
  }
};

/**
 * The first message holds its group by staying invisible; those behind it are given back at once, or they would stay
 * behind for the queue's whole visibility time-out after the first has gone.
 */
const delay = async (
  { setVisibility, log }: QueueHandlerPorts,
  [first, ...rest]: readonly SQSRecord[],
  afterMs: number | undefined,
): Promise<void> => {
  if (setVisibility === undefined || first === undefined || afterMs === undefined) return;
  try {
    await setVisibility(first.receiptHandle, Math.ceil(afterMs / 1000));
    for (const message of rest) await setVisibility(message.receiptHandle, 0);
  } catch (error) {
    log.warn('a message keeps its visibility time-out: it could not be set', { messageId: first.messageId, error });
  }
};
