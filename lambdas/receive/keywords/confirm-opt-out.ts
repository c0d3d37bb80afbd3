import { consentIn, type Keywords } from '../../domain/keywords/keywords.ts';
import { optOutConfirmation } from '../../domain/keywords/opt-out-confirmation.ts';
import type { SendQueue } from '../../ports.ts';
import type { FollowUpOf } from '../store-events.ts';

export interface ConfirmOptOutOptions {
  readonly keywords: Keywords | undefined;
  readonly openQueue: (abortSignal: AbortSignal) => SendQueue;
}

/** Creates the function that queues the confirmation of an opt-out by keyword once the opt-out is stored. */
export const createConfirmOptOut =
  ({ keywords, openQueue }: ConfirmOptOutOptions): FollowUpOf =>
  (event) => {
    if (keywords === undefined || event.kind !== 'message') return undefined;
    const isOptOut = consentIn(event, keywords)?.kind === 'opt-out';
    const confirmation = isOptOut ? optOutConfirmation(event) : undefined;
    return (
      confirmation && {
        act: (abortSignal) => openQueue(abortSignal).put(confirmation),
        failure: 'The confirmation of the opt-out could not be queued',
      }
    );
  };
