import type { Fault } from './faults.ts';
import { addMs, type Instant } from './instant.ts';

export const MAX_AHEAD_DAYS = 366;

/** Returns what is wrong with a `sendAt` that is more than a year ahead, or undefined. */
export const tooFarAhead = (sendAt: Instant, now: Instant): Fault | undefined =>
  sendAt > addMs(now, MAX_AHEAD_DAYS * 24 * 60 * 60 * 1000)
    ? { field: 'sendAt', fault: `must be at most a year ahead; it is now ${now}`, value: JSON.stringify(sendAt) }
    : undefined;
