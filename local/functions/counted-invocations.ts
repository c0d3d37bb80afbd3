import type { FunctionMetrics, versionMetrics } from '../emulators/cloudwatch/aws-metrics.ts';
import { THROTTLED } from './function-pool.ts';
import type { InvokeFunction } from './invocation.ts';

type FailureMetrics = Pick<FunctionMetrics, 'record'> | ReturnType<typeof versionMetrics>;

/** Returns what invokes a function, and counts failures and throttles as Lambda does. */
export const counted =
  (invoke: InvokeFunction, metrics: FailureMetrics): InvokeFunction =>
  async (event) => {
    const result = await invoke(event);
    // An event over the size limit is refused before the function is invoked.
    if (!result.ok && result.error.errorType !== 'RequestEntityTooLarge') {
      metrics.record(result.error.errorType === THROTTLED ? 'Throttles' : 'Errors', 1);
    }
    return result;
  };
