import type { ContactRef } from '../contact.ts';
import type { Instant } from '../instant.ts';
import type { ChannelRef } from './channel-rhythm.ts';

/**
 * How long after its first status was stored a message that has not arrived is a gap. Statuses often overtake their
 * message, but not by this much.
 */
export const GAP_AFTER_MS = 15 * 60_000;

/** A message that has not arrived 15 minutes after its first status. */
export interface Gap {
  readonly messageId: string;
  /** The time of the first status that was stored. */
  readonly firstStatusAt: Instant;
  /** The user, if a status names an address. */
  readonly contact?: ContactRef | undefined;
}

/** A message of which only statuses have arrived, which may be a gap. */
export interface GapCandidate extends Gap {
  /** The channel that the first status names. */
  readonly channel?: ChannelRef | undefined;
  /** Whether the message has arrived after all, or was erased. */
  readonly hasArrived: boolean;
}
