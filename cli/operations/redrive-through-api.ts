import { type RedrivableQueue, redriveResponse } from '../../lambdas/manage/redrives.ts';
import type { ManagementClient } from './management-client.ts';
import type { RedriveOptions, RedriveResult } from './redrive.ts';

/**
 * Redrives dead letters through the management API, because only Parley's functions can put events on the inbound queue
 * and on the event bus. Repeats the call, which has a time limit, until no dead letters are left.
 */
export const redriveThroughApi = async (
  api: ManagementClient,
  queue: RedrivableQueue,
  { filter: { reason, messageId }, onMoved, stop }: Pick<RedriveOptions, 'filter' | 'onMoved' | 'stop'>,
): Promise<RedriveResult> => {
  let moved = 0;
  let left = 0;
  let before: string | undefined;
  for (;;) {
    stop?.throwIfAborted();
    const body = { queue, reason, deadLetterId: messageId, before };
    const answer = redriveResponse.parse(await api('POST', '/v1/redrives', body));
    ({ before } = answer);
    moved += answer.moved;
    left += answer.left;
    if (answer.moved > 0) onMoved?.(moved);
    if (answer.isComplete) return { moved, deleted: 0, left };
  }
};
