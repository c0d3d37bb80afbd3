import type { Contact } from './contact.ts';
import { addMs, type Instant } from './instant.ts';

/** The contract's Limits: "User conversation window: 24 hours since the user's last message". */
export const WINDOW_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a free-form message may be sent now.
 *
 * @param marginMs how much earlier than the service we call the window closed, for the time a call takes and for clocks
 * that differ
 */
export const isWindowOpen = (
  { lastInboundAt, windowDeniedAt }: Pick<Contact, 'lastInboundAt' | 'windowDeniedAt'>,
  now: Instant,
  marginMs: number,
): boolean => {
  if (lastInboundAt === undefined) return false;
  // The service's own word on the window stands until the user writes again.
  if (windowDeniedAt !== undefined && windowDeniedAt >= lastInboundAt) return false;
  return now < addMs(lastInboundAt, WINDOW_MS - marginMs);
};

/** Whether a window that counts as closed is so by our margin alone: by its 24 hours it is still open. */
export const isClosedByMargin = (
  contact: Pick<Contact, 'lastInboundAt' | 'windowDeniedAt'>,
  now: Instant,
  marginMs: number,
): boolean => !isWindowOpen(contact, now, marginMs) && isWindowOpen(contact, now, 0);
