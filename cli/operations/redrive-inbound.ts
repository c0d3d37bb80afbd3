import { redriveResponse } from '../../lambdas/manage/redrives.ts';
import type { ManagementClient } from './management-client.ts';
import type { RedriveOptions, RedriveResult } from './redrive.ts';

/**
 * Redrives quarantined events through the management API, because only Parley's functions can put messages on the
 * inbound queue. Repeats the call, which has a time limit, until no events are left.
 */
export const redriveInbound = async (
  api: ManagementClient,
  { filter: { reason, messageId }, onMoved, stop }: Pick<RedriveOptions, 'filter' | 'onMoved' | 'stop'>,
): Promise<RedriveResult> => {
  let moved = 0;
  let left = 0;
  let before: string | undefined;
  for (;;) {
    stop?.throwIfAborted();
    const body = { queue: 'inbound', reason, deadLetterId: messageId, before };
    const answer = redriveResponse.parse(await api('POST', '/v1/redrives', body));
    ({ before } = answer);
    moved += answer.moved;
    left += answer.left;
    if (answer.moved > 0) onMoved?.(moved);
    if (answer.isComplete) return { moved, deleted: 0, left };
  }
};
