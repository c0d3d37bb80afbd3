import type { Message } from '@aws-sdk/client-sqs';
import {
  type DeadLetter,
  type ReadableQueue,
  type RedrivenQueue,
  readDeadLetter,
  receiveAll,
  releaseAfter,
  SEARCH_SECONDS,
} from './dead-letter-queue.ts';
import { deleteKept, readKept } from './kept-dead-letters.ts';
import { moveUnchanged, type RedriveOptions, type RedriveResult, remove, sendToDestination } from './redrive.ts';

/** Redrives one dead letter, wherever it is. Returns undefined if it is not found. */
export const redriveOne = async (
  queue: RedrivenQueue,
  messageId: string,
  { prepare = moveUnchanged, onException, stop, kept }: Omit<RedriveOptions, 'filter' | 'onMoved'>,
): Promise<RedriveResult | undefined> => {
  const redriveFound = async (deadLetter: DeadLetter, discard: () => Promise<unknown>): Promise<RedriveResult> => {
    const redriven = await prepare(deadLetter);
    if (redriven.kind === 'move') await sendToDestination(queue, deadLetter, redriven);
    else onException?.(redriven.why);
    if (redriven.kind !== 'leave') await discard();
    return RESULTS[redriven.kind];
  };

  const inTable = kept && (await readKept(kept.api, kept.name, messageId));
  if (kept && inTable) return redriveFound(inTable, () => deleteKept(kept.api, messageId));

  const received = new Map<string, Message>();
  return releaseAfter(queue, received, async () => {
    const message = await findMessage(queue, messageId, received, stop);
    if (message === undefined) return undefined;
    return redriveFound(readDeadLetter(message), async () => {
      await remove(queue, message);
      received.delete(messageId);
    });
  });
};

const RESULTS = {
  move: { moved: 1, deleted: 0, left: 0 },
  delete: { moved: 0, deleted: 1, left: 0 },
  leave: { moved: 0, deleted: 0, left: 1 },
} as const satisfies Record<string, RedriveResult>;

/**
 * Receives messages until it finds one. Does not put the others at the end of their message groups, which would give
 * them new IDs, so it does not find a message behind others of its group.
 *
 * @param received gets all messages that were received
 */
const findMessage = async (
  queue: ReadableQueue,
  messageId: string,
  received: Map<string, Message>,
  stop: AbortSignal | undefined,
): Promise<Message | undefined> => {
  for await (const messages of receiveAll(queue, stop, SEARCH_SECONDS)) {
    const isNew = messages.some(({ MessageId = '' }) => !received.has(MessageId));
    for (const message of messages) received.set(message.MessageId ?? '', message);
    const found = received.get(messageId);
    // A queue that takes longer than the visibility timeout starts over.
    if (found || !isNew) return found;
  }
  return undefined;
};
