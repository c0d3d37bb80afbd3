/**
 * Replaces the process's `Date` by one that runs ahead by an offset, and returns the function that sets the offset.
 *
 * For the processes that this machine's cloud starts: the code in them asks `Date` as everywhere and knows nothing of it.
 * Timers and `performance.now()` keep real time, since they measure durations.
 */
export const installShiftedClock = (): ((offsetMs: number) => void) => {
  const RealDate = Date;
  let offsetMs = 0;
  const now = (): number => RealDate.now() + offsetMs;
  const ShiftedDate = new Proxy(RealDate, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
  // Dates made natively, a file's times for one, must name the same constructor as those made here.
  RealDate.prototype.constructor = ShiftedDate;
  globalThis.Date = ShiftedDate;
  return (ms) => {
    offsetMs = ms;
  };
};
