import type { DeadLetterQueueName } from '../../lambdas/domain/dead-letter.ts';
import { redriveResponse } from '../../lambdas/manage/api/redrives.ts';
import type { DeadLetterFilter } from './dead-letter-queue.ts';
import type { ManagementClient } from './management-client.ts';

export interface RedriveOptions {
  readonly filter: DeadLetterFilter;
  /** Called after each call that moved some, with the number moved so far. */
  readonly onMoved?: (moved: number) => void;
  /** Receives a sentence about each dead letter that was not redriven, as far as the API gives its reason. */
  readonly onException?: (why: string) => void;
  /** When aborted, the redrive stops before the next call and throws the signal's reason. @default never */
  readonly stop?: AbortSignal;
}

/** The result of a redrive. */
export interface RedriveResult {
  readonly moved: number;
  /** Dead letters that were deleted because there was nothing to redrive. */
  readonly deleted: number;
  /** Dead letters that were read and left in place: they do not match, cannot be redriven, or failed again meanwhile. */
  readonly left: number;
}

/**
 * Redrives dead letters through the management API. Repeats the call, which has a time limit, until it is complete.
 *
 * @returns for a filter by message ID, how many of that one were left; undefined if it was not found
 */
export const redrive = async (
  api: ManagementClient,
  queue: DeadLetterQueueName,
  { filter: { reason, messageId }, onMoved, onException, stop }: RedriveOptions,
): Promise<RedriveResult | undefined> => {
  const total = { moved: 0, deleted: 0, left: 0 };
  let exceptions = 0;
  let before: string | undefined;
  for (;;) {
    stop?.throwIfAborted();
    const body = { queue, reason, deadLetterId: messageId, before };
    const answer = redriveResponse.parse(await api('POST', '/v1/redrives', body));
    ({ before } = answer);
    total.moved += answer.moved;
    total.deleted += answer.deleted;
    total.left += answer.left;
    exceptions += answer.notRedriven?.length ?? 0;
    for (const { id, why } of answer.notRedriven ?? []) onException?.(`Dead letter ${id} was not redriven: ${why}`);
    if (answer.moved > 0) onMoved?.(total.moved);
    if (!answer.isComplete) continue;
    if (messageId === undefined) return total;
    // The search reads others, which it leaves.
    return total.moved + exceptions === 0 ? undefined : { ...total, left: exceptions - total.deleted };
  }
};
