import type { ContactRef } from './contact.ts';
import type { Instant } from './instant.ts';

/**
 * How long after its first status a message counts as missing. Statuses often overtake their message, but not by this
 * much.
 */
export const GAP_AFTER_MS = 15 * 60_000;

/** A message that never arrived, although its statuses did. */
export interface Gap {
  readonly messageId: string;
  /** The time of the first status that was stored. */
  readonly firstStatusAt: Instant;
  /** The user, if a status names an address. */
  readonly contact?: ContactRef | undefined;
}
