import { SUM } from '../metric-period.ts';
import type { ParleyFunction } from '../parley-function.ts';
import type { StageAlarms } from './stage-alarms.ts';

/** Adds the alarms of a function: `…Errors` and `…Throttles`. */
export function addFunctionAlarms(alarms: StageAlarms, name: string, handler: ParleyFunction): void {
  const service = name.toLowerCase();
  alarms.add(`${name}Errors`, {
    metric: handler.metricErrors(SUM),
    threshold: 1,
    meaning: `The function ${service} failed or timed out. Its log says why.`,
  });
  alarms.add(`${name}Throttles`, {
    metric: handler.metricThrottles(SUM),
    threshold: 1,
    meaning:
      `Lambda refused to run the function ${service}, because the concurrency of the account or of the function is ` +
      'used up.',
  });
}
