import { type IMetric, type IWidget, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PERIOD, SUM } from '../metric-period.ts';
import { functionsOf, type WatchedParts } from '../watched-parts.ts';
import { graph } from './graph.ts';

const MIB_PER_GIB = 1024;
const MS_PER_SECOND = 1000;

/**
 * Returns the graphs of what a stage's costs depend on: Lambda's GB-seconds, DynamoDB's request units, and the bytes
 * that CloudWatch Logs ingests. docs/performance.md says what each message costs.
 */
export function costGraphs(parts: WatchedParts): IWidget[] {
  const functions = Object.entries(functionsOf(parts));
  const { table } = parts;
  return [
    graph(
      'Cost: GB-seconds of the functions',
      functions.map(
        ([label, handler], index): IMetric =>
          new MathExpression({
            label,
            period: PERIOD,
            expression: `duration${index} * ${handler.memoryMib / MIB_PER_GIB / MS_PER_SECOND}`,
            usingMetrics: { [`duration${index}`]: handler.metricDuration(SUM) },
          }),
      ),
    ),
    graph('Cost: request units of the table', [
      table.metricConsumedReadCapacityUnits({ ...SUM, label: 'read' }),
      table.metricConsumedWriteCapacityUnits({ ...SUM, label: 'write' }),
    ]),
    graph(
      'Cost: bytes of logs',
      functions.map(
        ([label, { logGroup }]) =>
          // Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CloudWatch-Logs-Monitoring-CloudWatch-Metrics.html
          new Metric({
            namespace: 'AWS/Logs',
            metricName: 'IncomingBytes',
            dimensionsMap: { LogGroupName: logGroup.logGroupName },
            period: PERIOD,
            statistic: Stats.SUM,
            label,
          }),
      ),
    ),
  ];
}
