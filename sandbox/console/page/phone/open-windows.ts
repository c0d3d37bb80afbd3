import { useEffect, useState } from 'preact/hooks';
import { serviceTime, useConsole } from '../state/console-state.ts';

/** The longest delay of a timer (https://html.spec.whatwg.org/multipage/timers-and-user-prompts.html). */
const MAX_DELAY_MS = 2 ** 31 - 1;

interface Windows {
  readonly windows: readonly { readonly closesAt: string }[];
}

/** Returns whether any of a user's conversation windows is open. The service's `open` is as old as the user's data. */
export const hasOpenWindow = ({ windows }: Windows, now: number): boolean =>
  windows.some(({ closesAt }) => now < Date.parse(closesAt));

/** Returns when the next open window closes, in milliseconds. */
export const nextClosing = (users: Iterable<Windows>, now: number): number | undefined => {
  let next: number | undefined;
  for (const { windows } of users) {
    for (const { closesAt } of windows) {
      const at = Date.parse(closesAt);
      if (at > now && (next === undefined || at < next)) next = at;
    }
  }
  return next;
};

/** Returns the service's time. Updates when its clock is advanced and when a window closes, not every second. */
export const useWindowTime = (users: Iterable<Windows>): number => {
  const clockOffsetMs = useConsole((state) => state.clockOffsetMs);
  const [, update] = useState({});
  const now = serviceTime();
  const next = nextClosing(users, now);
  useEffect(() => {
    if (next === undefined) return;
    const timer = setTimeout(() => update({}), Math.min(next - serviceTime() + 1, MAX_DELAY_MS));
    return () => clearTimeout(timer);
  }, [next, clockOffsetMs]);
  return now;
};
