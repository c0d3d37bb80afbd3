import { Duration } from 'aws-cdk-lib';
import { EXPIRES_SOON_DAYS } from '../../../lambdas/domain/access-token.ts';
import type { ParleyManagement } from '../management.ts';
import { SUM } from '../metric-period.ts';
import { addFunctionAlarms } from './function-alarms.ts';
import type { StageAlarms } from './stage-alarms.ts';

/** Adds the alarms of the management API and of erasures. */
export function addManagementAlarms(alarms: StageAlarms, management: ParleyManagement): void {
  const { handler, erasureQueue, api, watch } = management;
  addFunctionAlarms(alarms, 'Manage', handler);
  alarms.addDeadLetters(
    'ErasureDeadLetters',
    erasureQueue.deadLetters,
    'Erasures failed repeatedly, and are in the erasure dead-letter queue. Until they succeed, the data remains.',
  );
  alarms.add('DeadLettersWaiting', {
    metric: handler.customMetric('DeadLettersWaiting', { period: Duration.days(1), statistic: 'Sum' }),
    threshold: 1,
    meaning: 'Dead letters older than a week are kept in the table and wait for a decision.',
    // The function counts once a day, but not at the same second.
    evaluationPeriods: 2,
    datapointsToAlarm: 1,
  });
  alarms.add('AccessTokenExpiring', {
    metric: handler.customMetric('AccessTokenExpiring', { period: Duration.days(1), statistic: 'Sum' }),
    threshold: 1,
    meaning: `The chat service's access token expires within ${EXPIRES_SOON_DAYS} days, or has expired.`,
    // As above.
    evaluationPeriods: 2,
    datapointsToAlarm: 1,
  });
  if (watch) {
    alarms.add('ChannelsSilent', {
      metric: handler.customMetric('ChannelSilent', SUM),
      threshold: 1,
      meaning:
        'No user has written to a channel for unusually long, compared with the same hours of the past four weeks. Its ' +
        'events may not reach the webhook.',
      // The function counts every five minutes, but not at the same second.
      evaluationPeriods: 3,
      datapointsToAlarm: 1,
    });
  }
  alarms.add('ManagementServerErrors', {
    metric: api.stage.metricServerError({ period: SUM.period }),
    threshold: 1,
    meaning: 'Calls to the management API were answered with 5xx.',
  });
}
