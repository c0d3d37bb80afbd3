import type { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';
import { METRIC_DIMENSIONS, METRIC_NAMES_OF } from '../../lambdas/domain/metric-names.ts';
import { parseJson } from '../../local/base/json.ts';

/**
 * Returns the identity of a metric as text. CloudWatch identifies a metric by its namespace, its name, and its exact set
 * of dimensions: the same name with another dimension is another metric.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_concepts.html
 */
const metricIdentity = (namespace: string, name: string, dimensions: Readonly<Record<string, string>>): string =>
  `${namespace} ${name} ${Object.entries(dimensions)
    .toSorted()
    .map(([dimension, value]) => `${dimension}=${value}`)
    .join(' ')}`;

/** Returns the identities of the metrics that the code declares. */
export const emittedMetrics = (namespace: string): readonly string[] => {
  const dimensionsOf: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = METRIC_DIMENSIONS;
  return Object.entries(METRIC_NAMES_OF).flatMap(([service, names]) =>
    names.flatMap((name) =>
      (dimensionsOf[name] ?? [{}]).map((dimensions) => metricIdentity(namespace, name, { service, ...dimensions })),
    ),
  );
};

const metricReference = z.object({
  Namespace: z.string().refine((namespace) => !namespace.startsWith('AWS/')),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.string() })),
});

/** The metrics of an alarm: its own one, or those of its expression. */
const metricsOf = (properties: unknown): readonly unknown[] => {
  const { Metrics } = z.object({ Metrics: z.array(z.looseObject({})).default([]) }).parse(properties);
  return [
    properties,
    ...Metrics.map(({ MetricStat }) => z.object({ Metric: z.unknown() }).safeParse(MetricStat).data?.Metric),
  ];
};

/** Returns the custom metrics that alarms watch: the logical id of the alarm, and the identity of the metric. */
const alarmMetrics = (template: Template): readonly (readonly [logicalId: string, metric: string])[] =>
  Object.entries(template.findResources('AWS::CloudWatch::Alarm')).flatMap(([logicalId, { Properties }]) =>
    metricsOf(Properties).flatMap((metric) => {
      const { data } = metricReference.safeParse(metric);
      if (data === undefined) return [];
      const dimensions = Object.fromEntries(data.Dimensions.map(({ Name, Value }) => [Name, Value]));
      return [[logicalId, metricIdentity(data.Namespace, data.MetricName, dimensions)] as const];
    }),
  );

const dashboardBody = z.object({
  // The widget of the alarms has no metrics.
  widgets: z.array(z.object({ properties: z.object({ metrics: z.array(z.array(z.unknown())).default([]) }) })),
});

/** Returns the identities of the custom metrics on dashboards. */
const dashboardMetrics = (template: Template): readonly string[] =>
  Object.values(template.findResources('AWS::CloudWatch::Dashboard')).flatMap(({ Properties }) => {
    const parts: readonly unknown[] = Properties.DashboardBody['Fn::Join'][1];
    const body = dashboardBody.parse(JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'X')).join('')));
    return body.widgets.flatMap(({ properties }) => properties.metrics.map(readWidgetMetric));
  });

/** A metric in a widget: its namespace, its name, the names and values of its dimensions, and options. */
const readWidgetMetric = (metric: readonly unknown[]): string => {
  const [namespace = '', name = '', ...pairs] = metric.filter((part) => typeof part === 'string');
  const dimensions = pairs.flatMap((pair, index) => (index % 2 === 0 ? [[pair, pairs[index + 1] ?? '']] : []));
  return metricIdentity(namespace, name, Object.fromEntries(dimensions));
};

/** Returns the identities of all custom metrics that an operator sees. */
export const shownMetrics = (template: Template): ReadonlySet<string> =>
  new Set([...alarmMetrics(template).map(([, metric]) => metric), ...dashboardMetrics(template)]);

/** A log line in the embedded metric format. */
const metricLine = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/**
 * Returns the identities of the metrics that CloudWatch extracts from a log.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const loggedMetrics = (log: string): readonly string[] =>
  log.split('\n').flatMap((line) => {
    const { data } = metricLine.safeParse(parseJson(line));
    return (data?._aws.CloudWatchMetrics ?? []).flatMap(({ Namespace, Dimensions, Metrics }) =>
      Dimensions.flatMap((names) => {
        const dimensions = Object.fromEntries(names.map((name) => [name, String(data?.[name])]));
        return Metrics.map(({ Name }) => metricIdentity(Namespace, Name, dimensions));
      }),
    );
  });
