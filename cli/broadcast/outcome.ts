import { setTimeout as pause } from 'node:timers/promises';
import { CliError, EXIT } from '../base/errors.ts';
import type { Progress } from '../base/progress.ts';
import type { ManagementClient } from '../operations/management-client.ts';
import { countSends, type SendCount, totalOf } from '../operations/send-counts.ts';
import { progressOf } from '../operations/send-progress.ts';

const POLL_MS = 1_000;

export interface WaitedBroadcast {
  readonly broadcastId: string;
  /** How many of its requests were queued. */
  readonly queued: number;
}

/**
 * Waits until no request of a broadcast is queued or waiting any more. A scheduled or uncertain one counts as ended.
 *
 * @throws CliError after Ctrl-C.
 */
export const waitForOutcome = async (
  call: ManagementClient,
  { broadcastId, queued }: WaitedBroadcast,
  { progress, stop }: { readonly progress: Progress; readonly stop: AbortSignal },
): Promise<readonly SendCount[]> => {
  for (;;) {
    const counts = await countSends(call, { broadcast: broadcastId });
    const pending = totalOf(counts.filter(({ state }) => progressOf(state) === 'pending'));
    progress.update(Math.min(queued, totalOf(counts) - pending));
    // A send that is changing state is not counted.
    if (pending === 0 && totalOf(counts) >= queued) return counts;
    await pause(POLL_MS, undefined, { signal: stop }).catch(() => {
      throw new CliError(EXIT.interrupted, `Interrupted. The broadcast ${broadcastId} continues in the background.`);
    });
  }
};

/** Whether the chat service accepted every request and no message has failed since, or the request is scheduled. */
export const isAllSent = (counts: readonly SendCount[]): boolean =>
  counts.every(({ state }) => state === 'accepted' || state === 'scheduled');
