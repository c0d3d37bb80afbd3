import { type Instant, msBetween, toInstant } from '../instant.ts';

/** What users write to: a business number, or the whole webhook for events that name none. */
export interface ChannelRef {
  readonly platform: string;
  /** The digits of the business number, or {@link NO_LINE}. */
  readonly line: string;
}

/** The line of events that name no business number. */
export const NO_LINE = '*';

/**
 * A day is divided into slots, and a channel's history is in which slots a user's message came. A set of slots grows the
 * same way in whatever order messages arrive, however often.
 */
export const SLOT_MS = 5 * 60_000;

const DAY_MS = 24 * 60 * 60_000;
const SLOTS_PER_WEEK = (7 * DAY_MS) / SLOT_MS;

export interface Slot {
  /** In UTC, such as `2026-11-27`. */
  readonly day: string;
  /** The number of the slot in its day, from 0. */
  readonly slot: number;
}

export const slotOf = (at: Instant): Slot => ({
  day: at.slice(0, 10),
  slot: Math.floor((Date.parse(at) % DAY_MS) / SLOT_MS),
});

/** How many past weeks a channel is compared with. */
const WEEKS = 4;

/** How long users must have written to a channel before it is judged. */
const LEARNING_MS = 14 * DAY_MS;

/** A channel that has been silent for this long is no longer in use. */
const INACTIVE_MS = 28 * DAY_MS;

/** How much of a silence is compared with past weeks. */
const MAX_SILENCE_SLOTS = SLOTS_PER_WEEK;

/** How many days of history {@link judgeChannel} needs, counted back from now, with today. */
export const HISTORY_DAYS = 37;

/** Returns the days of the history, today first. */
export const historyDays = (now: Instant): readonly string[] =>
  Array.from({ length: HISTORY_DAYS }, (_, daysAgo) =>
    toInstant(new Date(Date.parse(now) - daysAgo * DAY_MS)).slice(0, 10),
  );

/** Neighbors of a slot that count for it: a user writes at 9:58 in one week, and at 10:04 in another. */
const NEIGHBORS = 2;

/**
 * Daylight saving time shifts a channel's hours by one against UTC, and opening hours are not kept to the minute. A
 * slot is expected to have a message only if it is so with each of these shifts.
 */
const SHIFTS = [-60, 0, 60].map((minutes) => (minutes * 60_000) / SLOT_MS);

/**
 * How unlikely a silence must be, as a natural logarithm: about one in nine million. A busy channel has hundreds of
 * thousands of pauses in a year.
 */
const IMPROBABLE = -16;

/** What is known about a channel. */
export interface ChannelHistory {
  /** When a user first wrote to it. */
  readonly firstSeenAt: Instant;
  /** The slots with messages, by day; days without any may be missing. */
  readonly days: ReadonlyMap<string, ReadonlySet<number>>;
  /** Since when it was silent by the latest judgement. @default it was not */
  readonly silentSince?: Instant | undefined;
  /**
   * When the stage began to watch again after a break. Messages of the break are not known, so no silence starts before.
   *
   * @default there was no break
   */
  readonly watchedSince?: Instant | undefined;
}

export type ChannelState =
  /** The channel is new, so there are no past weeks to compare with. */
  | { readonly state: 'learning'; readonly lastMessageAt?: Instant }
  | { readonly state: 'active'; readonly lastMessageAt?: Instant }
  /** Nobody has written for unusually long. */
  | { readonly state: 'silent'; readonly lastMessageAt?: Instant; readonly since: Instant }
  /** Nobody has written for four weeks. */
  | { readonly state: 'inactive' };

/**
 * Judges whether a channel is silent, by its own past weeks: for each slot since the last message, how often the same slot
 * of the past four weeks had a message. If it mostly had, an empty slot is improbable, and a row of them more so. Nights,
 * weekends, and quiet channels have slots that are often empty, which show nothing.
 *
 * `lastMessageAt` is the start of a slot, so it can be five minutes early.
 */
export const judgeChannel = (
  { firstSeenAt, days, silentSince, watchedSince }: ChannelHistory,
  now: Instant,
): ChannelState => {
  const active = activeSlots(days);
  const last = active.size === 0 ? undefined : Math.max(...active);
  if (last === undefined) return { state: 'inactive' };
  const lastMessageAt = timeOfSlot(last);
  const quietSince = timeOfSlot(last + 1);
  if (msBetween(lastMessageAt, now) >= INACTIVE_MS) return { state: 'inactive' };
  if (msBetween(firstSeenAt, now) < LEARNING_MS) return { state: 'learning', lastMessageAt };
  if (silentSince !== undefined && quietSince <= silentSince) {
    return { state: 'silent', lastMessageAt, since: silentSince };
  }
  const start = Math.max(last + 1, watchedSince === undefined ? 0 : slotNumber(watchedSince));
  if (improbability(active, slotNumber(firstSeenAt), start, slotNumber(now)) <= IMPROBABLE) {
    return { state: 'silent', lastMessageAt, since: timeOfSlot(start) };
  }
  return { state: 'active', lastMessageAt };
};

/** Slots are numbered from the epoch, so that the same slot of the week before is a fixed number of slots away. */
const slotNumber = (at: Instant): number => Math.floor(Date.parse(at) / SLOT_MS);
const timeOfSlot = (slot: number): Instant => toInstant(new Date(slot * SLOT_MS));

const activeSlots = (days: ChannelHistory['days']): ReadonlySet<number> => {
  const active = new Set<number>();
  for (const [day, slots] of days) {
    const first = slotNumber(`${day}T00:00:00.000Z`);
    for (const slot of slots) active.add(first + slot);
  }
  return active;
};

/** Returns how improbable it is that no slot from `start` on had a message, as a natural logarithm: 0 or less. */
const improbability = (active: ReadonlySet<number>, first: number, start: number, current: number): number => {
  let sum = 0;
  // The current slot is not over.
  const end = Math.min(current, start + MAX_SILENCE_SLOTS);
  for (let slot = start; slot < end; slot += 1) {
    sum += Math.log(Math.max(...SHIFTS.map((shift) => emptyProbability(active, first, slot + shift))));
    if (sum <= IMPROBABLE) break;
  }
  return sum;
};

/**
 * Estimates the probability that a slot is empty from the same slots of past weeks. A slot that never had a message is
 * surely empty; one that always had is empty with a probability that falls with the number of observations.
 */
const emptyProbability = (active: ReadonlySet<number>, first: number, slot: number): number => {
  let observed = 0;
  let found = 0;
  for (let week = 1; week <= WEEKS; week += 1) {
    for (let neighbor = -NEIGHBORS; neighbor <= NEIGHBORS; neighbor += 1) {
      const past = slot - week * SLOTS_PER_WEEK + neighbor;
      if (past < first) continue;
      observed += 1;
      if (active.has(past)) found += 1;
    }
  }
  return (observed - found + 1) / (observed + 1);
};
