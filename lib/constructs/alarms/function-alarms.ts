import { SUM } from '../metric-period.ts';
import type { ParleyFunction } from '../parley-function.ts';
import type { StageAlarms } from './stage-alarms.ts';

/** Adds the alarms of a function: `…Errors`, `…Throttles`, and, with gradual rollouts, `…NewVersion`. */
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
  if (!handler.rollout) return;
  const newVersion = alarms.add(`${name}NewVersion`, {
    metric: handler.rollout.newVersionErrors,
    threshold: 1,
    meaning: `The new version of the function ${service} failed or timed out, so its rollout ended and was rolled back.`,
  });
  handler.rollout.rollBackOn(newVersion);
}
