import type { MovableClock } from '../base/clock.ts';
import { LocalError } from '../base/local-error.ts';
import type { Functions } from '../functions/functions.ts';

/** A schedule of the template that invokes a function at a fixed rate. */
export interface RecurringScheduleDeclaration {
  readonly logicalId: string;
  readonly everyMs: number;
  readonly functionArn: string;
  /** The event, as JSON. */
  readonly input: string;
}

export interface RecurringScheduleContext {
  readonly functions: Pick<Functions, 'find'>;
  readonly clock: MovableClock;
  readonly warn: (message: string) => void;
}

/** Longer waits overflow a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Invokes functions at a fixed rate on the run's clock, for the first time after one period. The clock stops whenever
 * one is due, so a daily function runs 15 times while the clock moves 15 days. Returns the function that ends the
 * schedules.
 *
 * @throws LocalError if a schedule names a function that does not exist.
 */
export const startRecurringSchedules = (
  declarations: readonly RecurringScheduleDeclaration[],
  { functions, clock, warn }: RecurringScheduleContext,
): (() => void) => {
  const timers = new Set<NodeJS.Timeout>();
  for (const { logicalId, everyMs, functionArn, input } of declarations) {
    const target = functions.find(functionArn);
    if (!target) throw new LocalError(`${logicalId}: the function ${functionArn} is not in this stack.`);
    let dueAt = clock.now().getTime() + everyMs;
    const invokeIfDue = async (): Promise<void> => {
      if (clock.now().getTime() < dueAt) return;
      dueAt += everyMs;
      const result = await target.invoke(input);
      if (!result.ok)
        warn(`The schedule ${logicalId} failed and runs again when it is due: ${result.error.errorMessage}`);
    };
    clock.stopAt(() => dueAt);
    clock.onMove(invokeIfDue);
    const timer = setInterval(() => void invokeIfDue(), Math.min(everyMs, MAX_TIMER_MS));
    timer.unref();
    timers.add(timer);
  }
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
};
