/** What is counted. */
export type Activity = 'received' | 'sent' | 'failedCalls' | 'failedDeliveries';

/** The counts of one minute. */
export type MinuteCounts = Readonly<Record<Activity, number>> & {
  /** The minute's start, ISO 8601. */
  readonly at: string;
};

/** Counts per minute. The times are those of the machine's clock, because the service's clock jumps by days. */
export interface ActivityCounts {
  add(activity: Activity, now: Date): void;
  /** Returns the last 30 minutes, oldest first; the last one is the current minute. */
  minutes(now: Date): readonly MinuteCounts[];
  clear(): void;
}

const MINUTE_MS = 60_000;
const SHOWN_MINUTES = 30;

export const createActivityCounts = (): ActivityCounts => {
  const counts = new Map<number, Record<Activity, number>>();
  const minuteOf = (time: Date) => Math.floor(time.getTime() / MINUTE_MS);
  return {
    add: (activity, now) => {
      const minute = minuteOf(now);
      const known = counts.get(minute) ?? newCounts();
      known[activity] += 1;
      counts.set(minute, known);
      for (const other of counts.keys()) if (other <= minute - SHOWN_MINUTES) counts.delete(other);
    },
    minutes: (now) => {
      const first = minuteOf(now) - SHOWN_MINUTES + 1;
      return Array.from({ length: SHOWN_MINUTES }, (_, index) => ({
        at: new Date((first + index) * MINUTE_MS).toISOString(),
        ...(counts.get(first + index) ?? newCounts()),
      }));
    },
    clear: () => counts.clear(),
  };
};

const newCounts = (): Record<Activity, number> => ({ received: 0, sent: 0, failedCalls: 0, failedDeliveries: 0 });
