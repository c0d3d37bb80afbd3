import type { MovableClock } from '../base/clock.ts';
import { messageOf } from '../base/local-error.ts';

/** A one-time schedule. */
export interface Schedule {
  readonly name: string;
  readonly groupName: string;
  readonly clientToken: string | undefined;
  readonly createdAt: Date;
  readonly dueAt: Date;
  /** The request that created the schedule, which GetSchedule returns. */
  readonly declaration: Readonly<Record<string, unknown>>;
  /** Calls the target. */
  readonly invoke: () => Promise<void>;
  /** Puts the call on the schedule's dead-letter queue; undefined if it has none. */
  readonly deadLetter: ((failure: TargetFailure) => Promise<void>) | undefined;
}

/** Why a schedule's target could not be called. */
export interface TargetFailure {
  readonly error: unknown;
  readonly retries: number;
}

/**
 * The one-time schedules of a run, in memory. Each is deleted after its target has been called or its retries have
 * ended.
 */
export interface Schedules extends AsyncDisposable {
  createGroup(name: string): void;
  hasGroup(name: string): boolean;
  groups(): readonly string[];
  /** Adds a schedule. Returns false if its group already contains one with this name. */
  add(schedule: Schedule): boolean;
  find(groupName: string, name: string): Schedule | undefined;
  /** Returns the schedules of a group, or of all groups. */
  list(groupName: string | undefined): readonly Schedule[];
  remove(groupName: string, name: string): boolean;
  /** Stops calling targets. */
  close(): Promise<void>;
}

/** How often to check for due schedules. When the clock moves, the check is immediate. */
const POLL_MS = 250;

/**
 * How long a target is retried: Scheduler's default, but on the run's clock and without backoff.
 * Source: https://docs.aws.amazon.com/scheduler/latest/APIReference/API_RetryPolicy.html
 */
const MAX_RETRY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the schedules of a run, on its clock.
 *
 * @param warn Receives a message about each failed call to a target, and about each target that is no longer retried.
 */
export const createSchedules = (clock: MovableClock, warn: (message: string) => void): Schedules => {
  const groups = new Set<string>(['default']);
  const schedules = new Map<string, Schedule>();
  const failedCalls = new Map<Schedule, number>();
  let running = Promise.resolve();
  const keyOf = (groupName: string, name: string): string => JSON.stringify([groupName, name]);

  const invokeDue = async (): Promise<void> => {
    const now = clock.now();
    const due = [...schedules].filter(([, { dueAt }]) => dueAt <= now);
    for (const [key, schedule] of due.toSorted(([, a], [, b]) => a.dueAt.getTime() - b.dueAt.getTime())) {
      if (schedules.get(key) !== schedule) continue;
      try {
        await schedule.invoke();
      } catch (error) {
        if (!(await giveUp(schedule, error))) continue;
      }
      schedules.delete(key);
      failedCalls.delete(schedule);
    }
  };

  /** Records a failed call. Returns whether it was the last attempt. */
  const giveUp = async (schedule: Schedule, error: unknown): Promise<boolean> => {
    const retries = failedCalls.get(schedule) ?? 0;
    failedCalls.set(schedule, retries + 1);
    if (clock.now().getTime() - schedule.dueAt.getTime() < MAX_RETRY_MS) {
      if (retries === 0)
        warn(`Schedule ${schedule.name} could not call its target and will retry: ${messageOf(error)}`);
      return false;
    }
    warn(`Schedule ${schedule.name} could not call its target for a day and gives up: ${messageOf(error)}`);
    try {
      await schedule.deadLetter?.({ error, retries });
    } catch (failure) {
      warn(`Schedule ${schedule.name} could not reach its dead-letter queue either: ${messageOf(failure)}`);
    }
    return true;
  };
  const check = (): Promise<void> => {
    running = running.then(invokeDue);
    return running;
  };
  const timer = setInterval(() => void check(), POLL_MS);
  timer.unref();
  clock.onMove(check);
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await running;
  };

  return {
    createGroup(name) {
      groups.add(name);
    },
    hasGroup: (name) => groups.has(name),
    groups: () => [...groups],
    add(schedule) {
      const key = keyOf(schedule.groupName, schedule.name);
      if (schedules.has(key)) return false;
      schedules.set(key, schedule);
      return true;
    },
    find: (groupName, name) => schedules.get(keyOf(groupName, name)),
    list: (groupName) =>
      [...schedules.values()].filter((schedule) => groupName === undefined || schedule.groupName === groupName),
    remove: (groupName, name) => schedules.delete(keyOf(groupName, name)),
    close,
    [Symbol.asyncDispose]: close,
  };
};
