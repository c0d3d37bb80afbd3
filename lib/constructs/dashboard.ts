import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { LoggedHttpApi } from './logged-http-api.ts';
import type { ParleyFunction } from './parley-function.ts';

/** Properties of {@link ParleyDashboard}. */
export interface ParleyDashboardProps {
  /** The functions, by their titles. */
  readonly functions: Readonly<Record<string, ParleyFunction>>;
  /** The queues and dead-letter queues, by their titles. */
  readonly queues: Readonly<Record<string, IQueue>>;
  /** The HTTP APIs, by their titles. */
  readonly apis: Readonly<Record<string, LoggedHttpApi>>;
}

const PERIOD = Duration.minutes(5);
const SUM = { period: PERIOD, statistic: Stats.SUM };
const MAXIMUM = { period: PERIOD, statistic: Stats.MAXIMUM };
const GRAPHS_PER_ROW = 3;
/** The width of a dashboard's grid. */
const COLUMNS = 24;

/** A CloudWatch dashboard: every metric that the functions emit, and the state of the functions, queues, and APIs. */
export class ParleyDashboard extends Construct {
  constructor(scope: Construct, id: string, { functions, queues, apis }: ParleyDashboardProps) {
    super(scope, id);
    const graphs = [
      ...Object.entries(functions).map(([title, handler]) => graph(title, handler.customMetrics(SUM))),
      graph(
        'Functions: errors and throttles',
        Object.entries(functions).flatMap(([title, handler]) => [
          handler.metricErrors({ ...SUM, label: `${title}: errors` }),
          handler.metricThrottles({ ...SUM, label: `${title}: throttles` }),
        ]),
      ),
      graph(
        'Functions: duration, p99',
        Object.entries(functions).map(([label, handler]) =>
          handler.metricDuration({ period: PERIOD, statistic: Stats.p(99), label }),
        ),
      ),
      graph(
        'Queues: messages',
        Object.entries(queues).map(([label, queue]) =>
          queue.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label }),
        ),
      ),
      graph(
        'Queues: age of the oldest message',
        Object.entries(queues).map(([label, queue]) =>
          queue.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label }),
        ),
      ),
      graph(
        'APIs: calls and 5xx',
        Object.entries(apis).flatMap(([title, { stage }]) => [
          stage.metricCount({ ...SUM, label: `${title}: calls` }),
          stage.metricServerError({ ...SUM, label: `${title}: 5xx` }),
        ]),
      ),
    ];
    const rows = Array.from({ length: Math.ceil(graphs.length / GRAPHS_PER_ROW) }, (_, row) =>
      graphs.slice(row * GRAPHS_PER_ROW, (row + 1) * GRAPHS_PER_ROW),
    );
    new Dashboard(this, 'Dashboard', { widgets: rows, defaultInterval: Duration.days(1) });
  }
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: COLUMNS / GRAPHS_PER_ROW });
}
