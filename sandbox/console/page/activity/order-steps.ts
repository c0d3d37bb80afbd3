/** What the order of a timeline's steps depends on. */
export interface Orderable {
  /** ISO 8601; absent if it is not known when the step happened. */
  readonly at?: string | undefined;
  /** The step has not happened yet. */
  readonly isPending?: boolean;
}

export interface Ordered<Step> {
  readonly step: Step;
  /** The time since the previous step with a time, in milliseconds; absent for the first one and without a time. */
  readonly sinceMs?: number;
}

/**
 * Sorts steps by time. Steps of the same millisecond keep their order. A step without a time stays behind the step
 * before it, and a pending step comes last.
 *
 * @param steps in causal order: each step after the one that caused it
 */
export const orderSteps = <Step extends Orderable>(steps: readonly Step[]): readonly Ordered<Step>[] => {
  let previousMs = Number.NEGATIVE_INFINITY;
  const keyed = steps.map((step) => {
    if (step.isPending) return { step, timeMs: Number.POSITIVE_INFINITY };
    previousMs = timeOf(step) ?? previousMs;
    return { step, timeMs: previousMs };
  });
  let lastMs: number | undefined;
  return keyed
    .toSorted((one, other) => (one.timeMs === other.timeMs ? 0 : one.timeMs - other.timeMs))
    .map(({ step }) => {
      const timeMs = timeOf(step);
      if (timeMs === undefined) return { step };
      const sinceMs = lastMs === undefined ? undefined : timeMs - lastMs;
      lastMs = timeMs;
      return sinceMs === undefined ? { step } : { step, sinceMs };
    });
};

/** Returns the time from the first step to the last; undefined unless at least two have a time. */
export const totalMs = (steps: readonly Ordered<unknown>[]): number | undefined => {
  const durations = steps.flatMap(({ sinceMs }) => sinceMs ?? []);
  return durations.length === 0 ? undefined : durations.reduce((sum, one) => sum + one, 0);
};

/** Returns a step's time in milliseconds; undefined if it has none, or none that can be read. */
const timeOf = ({ at, isPending = false }: Orderable): number | undefined => {
  const timeMs = at === undefined || isPending ? Number.NaN : Date.parse(at);
  return Number.isNaN(timeMs) ? undefined : timeMs;
};
