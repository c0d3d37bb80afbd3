import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics';
import type { Log, Metrics } from '../ports.ts';

/** JSON lines; service name and level come from the variables that Powertools reads. */
export const createPowertoolsLog = (): Log => new Logger();

/** CloudWatch metrics by the embedded metric format: log lines, no call. */
export const createPowertoolsMetrics = (): Metrics => {
  const metrics = new PowertoolsMetrics();
  return {
    count(name, dimensions) {
      if (dimensions === undefined) {
        metrics.addMetric(name, 'Count', 1);
        return;
      }
      // A line of its own: a dimension would otherwise be one of all that was counted.
      const single = metrics.singleMetric();
      single.addDimensions({ ...dimensions });
      single.addMetric(name, 'Count', 1);
    },
    flush: () => {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
};
