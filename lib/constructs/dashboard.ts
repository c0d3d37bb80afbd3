import { Duration } from 'aws-cdk-lib';
import { AlarmStatusWidget, Dashboard, type IAlarm, type IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { costGraphs } from './dashboard/cost-graphs.ts';
import { outcomeGraphs } from './dashboard/outcome-graphs.ts';
import { resourceGraphs } from './dashboard/resource-graphs.ts';
import type { WatchedParts } from './watched-parts.ts';

/** Properties of {@link ParleyDashboard}. */
export interface ParleyDashboardProps extends WatchedParts {
  readonly alarms: readonly IAlarm[];
}

/** The width of a dashboard's grid. */
const COLUMNS = 24;
const ALARMS_PER_ROW = 4;

/**
 * A CloudWatch dashboard: the alarms, what became of events and sends, the latency of the webhook, the state of the
 * functions, queues, and APIs, and what the stage's costs depend on. Every metric that the functions emit is on it.
 */
export class ParleyDashboard extends Construct {
  constructor(scope: Construct, id: string, { alarms, ...parts }: ParleyDashboardProps) {
    super(scope, id);
    const status = new AlarmStatusWidget({
      title: 'Alarms',
      alarms: [...alarms],
      width: COLUMNS,
      height: 1 + Math.ceil(alarms.length / ALARMS_PER_ROW),
    });
    const rows: IWidget[][] = [[status], ...outcomeGraphs(parts), ...resourceGraphs(parts), costGraphs(parts)];
    new Dashboard(this, 'Dashboard', { widgets: rows, defaultInterval: Duration.days(1) });
  }
}
