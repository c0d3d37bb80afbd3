import type { Contact } from './contact.ts';
import { addMs, type Instant } from './instant.ts';

/** The contract's Limits: "User conversation window: 24 hours since the user's last message". */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a free-form message may be sent now.
 *
 * @param marginMs how much earlier than the chat service Parley treats the window as closed, to allow for the duration
 * of a call and for clock skew
 */
export const isWindowOpen = (
  { lastInboundAt, windowDeniedAt }: Pick<Contact, 'lastInboundAt' | 'windowDeniedAt'>,
  now: Instant,
  marginMs: number,
): boolean => {
  if (lastInboundAt === undefined) return false;
  // After an error 201, the window stays closed until the user writes again. A message from the time of the call
  // counts.
  if (windowDeniedAt !== undefined && windowDeniedAt > lastInboundAt) return false;
  return now < addMs(lastInboundAt, WINDOW_MS - marginMs);
};

/** When the window that the user's latest message opened counts as closed; undefined for a user who never wrote. */
export const windowClosesAt = (
  { lastInboundAt }: Pick<Contact, 'lastInboundAt'>,
  marginMs: number,
): Instant | undefined => lastInboundAt && addMs(lastInboundAt, WINDOW_MS - marginMs);

/** Whether the window counts as closed only because of the margin: its 24 hours are not over. */
export const isClosedByMargin = (
  contact: Pick<Contact, 'lastInboundAt' | 'windowDeniedAt'>,
  now: Instant,
  marginMs: number,
): boolean => !isWindowOpen(contact, now, marginMs) && isWindowOpen(contact, now, 0);
