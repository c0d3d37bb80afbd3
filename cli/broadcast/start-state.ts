import { count } from '../base/command.ts';
import { CliError, EXIT } from '../base/errors.ts';
import type { BroadcastState } from './state-file.ts';

export const isComplete = ({ done, rows }: BroadcastState): boolean => done === rows;

/**
 * Returns the saved state if it belongs to the same file, message, and queue; otherwise the new state.
 *
 * @param givenId the broadcast ID that the operator gives
 * @throws CliError if the broadcast cannot be continued.
 */
export const continueState = (
  file: string,
  saved: BroadcastState | undefined,
  fresh: BroadcastState,
  givenId: string | undefined,
): BroadcastState => {
  if (!saved || saved.destination !== fresh.destination) return fresh;
  if (saved.contentId !== fresh.contentId) {
    if (isComplete(saved)) return fresh;
    throw new CliError(
      EXIT.usage,
      `${file} or the message has changed since its broadcast was interrupted after row ${saved.done}. ` +
        'Undo the change to continue, or add --new to start another broadcast, which reaches those users again.',
    );
  }
  if (givenId !== undefined && givenId !== saved.broadcastId) {
    throw new CliError(
      EXIT.usage,
      `The broadcast of ${file} already has the ID ${saved.broadcastId}. ` +
        'Omit --id to continue it, or add --new to send it again, which reaches the same users.',
    );
  }
  return saved;
};

/** Says that the same users receive the same message again, if a broadcast that `--new` starts does that. */
export const describeRepetition = (
  file: string,
  saved: BroadcastState | undefined,
  fresh: BroadcastState,
): string | undefined => {
  const isRepetition = saved?.destination === fresh.destination && saved.contentId === fresh.contentId;
  if (!isRepetition || saved.queued === 0) return undefined;
  return (
    `${saved.queued} of ${count(saved.rows, 'row')} of ${file} ${saved.queued === 1 ? 'was' : 'were'} already queued ` +
    'with this message. With --new, the same users receive it again.'
  );
};
