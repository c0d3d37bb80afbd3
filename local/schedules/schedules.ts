import type { MovableClock } from '../clock/movable-clock.ts';
import { messageOf } from '../local-error.ts';

/** A one-time schedule. */
export interface Schedule {
  readonly name: string;
  readonly groupName: string;
  readonly clientToken: string | undefined;
  readonly createdAt: Date;
  readonly dueAt: Date;
  /** The request as it came, which GetSchedule answers with. */
  readonly declaration: Readonly<Record<string, unknown>>;
  /** Calls the target. */
  readonly invoke: () => Promise<void>;
}

/** The one-time schedules of a run, in memory, on the run's clock; each deletes itself once its target was called. */
export interface Schedules {
  createGroup(name: string): void;
  hasGroup(name: string): boolean;
  /** Adds a schedule; false when there is one of its name in its group. */
  add(schedule: Schedule): boolean;
  find(groupName: string, name: string): Schedule | undefined;
  remove(groupName: string, name: string): boolean;
  close(): Promise<void>;
}

/** How often real time's passing is looked at; a move of the clock is seen at once. */
const LOOK_INTERVAL_MS = 250;

/** @param warn told of a target that cannot be called; it is called again until it can. */
export const createSchedules = (clock: MovableClock, warn: (message: string) => void): Schedules => {
  const groups = new Set<string>(['default']);
  const schedules = new Map<string, Schedule>();
  let ringing = Promise.resolve();
  const keyOf = (groupName: string, name: string): string => JSON.stringify([groupName, name]);

  const ringDue = async (): Promise<void> => {
    const now = clock.now();
    const due = [...schedules].filter(([, { dueAt }]) => dueAt <= now);
    for (const [key, schedule] of due.toSorted(([, a], [, b]) => a.dueAt.getTime() - b.dueAt.getTime())) {
      try {
        if (schedules.get(key) !== schedule) continue;
        await schedule.invoke();
        schedules.delete(key);
      } catch (error) {
        warn(`The schedule ${schedule.name} could not call its target, and will again: ${messageOf(error)}`);
      }
    }
  };
  const look = (): Promise<void> => {
    ringing = ringing.then(ringDue);
    return ringing;
  };
  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS);
  timer.unref();
  clock.onMove(look);

  return {
    createGroup(name) {
      groups.add(name);
    },
    hasGroup: (name) => groups.has(name),
    add(schedule) {
      const key = keyOf(schedule.groupName, schedule.name);
      if (schedules.has(key)) return false;
      schedules.set(key, schedule);
      return true;
    },
    find: (groupName, name) => schedules.get(keyOf(groupName, name)),
    remove: (groupName, name) => schedules.delete(keyOf(groupName, name)),
    async close() {
      clearInterval(timer);
      await ringing;
    },
  };
};
