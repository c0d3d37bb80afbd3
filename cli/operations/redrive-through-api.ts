import { type RedrivableQueue, redriveResponse } from '../../lambdas/manage/redrives.ts';
import type { ManagementClient } from './management-client.ts';
import type { RedriveOptions, RedriveResult } from './redrive.ts';

/**
 * Redrives dead letters through the management API, because only Parley's functions can put events on the inbound queue
 * and on the event bus. Repeats the call, which has a time limit, until no dead letters are left.
 *
 * @returns also how many failed, as far as the API says so, which counts them among those that are left
 */
export const redriveThroughApi = async (
  api: ManagementClient,
  queue: RedrivableQueue,
  { filter: { reason, messageId }, onMoved, onException, stop }: Omit<RedriveOptions, 'prepare' | 'kept'>,
): Promise<RedriveResult & { readonly failed: number }> => {
  let moved = 0;
  let left = 0;
  let failed = 0;
  let before: string | undefined;
  for (;;) {
    stop?.throwIfAborted();
    const body = { queue, reason, deadLetterId: messageId, before };
    const answer = redriveResponse.parse(await api('POST', '/v1/redrives', body));
    ({ before } = answer);
    moved += answer.moved;
    left += answer.left;
    failed += answer.notRedriven?.length ?? 0;
    for (const { id, why } of answer.notRedriven ?? []) onException?.(`Dead letter ${id} was not redriven: ${why}`);
    if (answer.moved > 0) onMoved?.(moved);
    if (answer.isComplete) return { moved, deleted: 0, left, failed };
  }
};
