import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';

/** The period of the metrics that alarms and the dashboard use. */
export const PERIOD = Duration.minutes(5);

export const SUM = { period: PERIOD, statistic: Stats.SUM };

export const MAXIMUM = { period: PERIOD, statistic: Stats.MAXIMUM };

/** For alarms that cannot wait five minutes, and for those that end a rollout, whose shortest step takes a minute. */
export const MINUTE_SUM = { period: Duration.minutes(1), statistic: Stats.SUM };
