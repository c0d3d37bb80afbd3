import { z } from 'zod';
import { arnOf } from '../base/aws-environment.ts';
import { LocalError } from '../base/local-error.ts';
import type { Alarm, MetricStatistic } from '../emulators/cloudwatch/alarm.ts';
import { isRecorded } from '../emulators/cloudwatch/aws-metrics.ts';
import { type DeclaredResource, defineResourceType, placeOf } from './resource-type.ts';

const SECOND_MS = 1_000;

const metric = {
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).default([]),
};
const period = z.int().multipleOf(60, 'only periods of whole minutes are supported');
const statistic = z.enum(['Sum', 'Minimum', 'Maximum'], 'only Sum, Minimum, and Maximum are supported');

const metricStat = z.strictObject({ Metric: z.strictObject(metric), Period: period, Stat: statistic });
const query = z.union([
  z.strictObject({ Id: z.string(), MetricStat: metricStat, ReturnData: z.literal(false) }),
  z.strictObject({
    Id: z.string(),
    Expression: z.string(),
    Label: z.string().optional(),
    Period: period.optional(),
    ReturnData: z.literal(true).optional(),
  }),
]);

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarm.html */
export const alarm = defineResourceType({
  supports: z.strictObject({
    ComparisonOperator: z.literal('GreaterThanOrEqualToThreshold', 'only GreaterThanOrEqualToThreshold is supported'),
    Threshold: z.number(),
    EvaluationPeriods: z.int().min(1),
    DatapointsToAlarm: z.int().min(1).optional(),
    TreatMissingData: z.enum(['notBreaching', 'breaching', 'ignore'], 'missing data must be treated in a known way'),
    AlarmDescription: z.string().default(''),
    AlarmName: z.string().optional(),
    Namespace: metric.Namespace.optional(),
    MetricName: metric.MetricName.optional(),
    Dimensions: metric.Dimensions,
    Period: period.optional(),
    Statistic: statistic.optional(),
    Metrics: z.array(query).optional(),
  }),
  withoutEffect: {
    ActionsEnabled: 'nothing is notified',
    AlarmActions: 'nothing is notified; parley alarms shows the states',
    InsufficientDataActions: 'nothing is notified',
    OKActions: 'nothing is notified; parley alarms shows the states',
    Tags: 'nothing reads them',
    Unit: 'values have one unit each',
  },
  create(properties, resource, cloud) {
    const name = properties.AlarmName ?? cloud.physicalName(resource.logicalId);
    const arn = arnOf('cloudwatch', `alarm:${name}`);
    const { EvaluationPeriods } = properties;
    const declared: Alarm = {
      name,
      arn,
      description: properties.AlarmDescription,
      ...watchedBy(properties, resource),
      threshold: properties.Threshold,
      evaluationPeriods: EvaluationPeriods,
      datapointsToAlarm: properties.DatapointsToAlarm ?? EvaluationPeriods,
      treatMissingData: properties.TreatMissingData,
    };
    for (const watched of declared.highestOf) checkRecorded(watched, resource);
    cloud.cloudWatch.alarms.add(declared);
    return { ref: name, attributes: { Arn: arn } };
  },
});

interface WatchingProperties {
  readonly Namespace?: string | undefined;
  readonly MetricName?: string | undefined;
  readonly Dimensions: z.output<typeof metric.Dimensions>;
  readonly Period?: number | undefined;
  readonly Statistic?: z.output<typeof statistic> | undefined;
  readonly Metrics?: readonly z.output<typeof query>[] | undefined;
}

/** Reads what an alarm watches: one metric, or the highest of several. */
const watchedBy = (
  { Namespace, MetricName, Dimensions, Period, Statistic, Metrics }: WatchingProperties,
  resource: DeclaredResource,
): Pick<Alarm, 'highestOf' | 'periodMs'> => {
  if (Metrics) return highestOf(Metrics, resource);
  if (Namespace === undefined || MetricName === undefined || Period === undefined || Statistic === undefined) {
    throw new LocalError(`${placeOf(resource)}: the alarm needs a metric, a period, and a statistic.`);
  }
  const watched = toStatistic({ Namespace, MetricName, Dimensions }, Statistic);
  return { highestOf: [watched], periodMs: Period * SECOND_MS };
};

const toStatistic = (
  { Namespace, MetricName, Dimensions }: z.output<z.ZodObject<typeof metric>>,
  stat: MetricStatistic['statistic'],
): MetricStatistic => ({
  metric: {
    namespace: Namespace,
    name: MetricName,
    dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
  },
  statistic: stat,
});

/**
 * Reads the only supported expression: the highest of several metrics, each 0 where it has no data.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
 */
const highestOf = (
  queries: readonly z.output<typeof query>[],
  resource: DeclaredResource,
): Pick<Alarm, 'highestOf' | 'periodMs'> => {
  const stats = queries.flatMap((one) => ('MetricStat' in one ? [one] : []));
  const expression = queries.flatMap((one) => ('Expression' in one ? [one.Expression] : [])).join('; ');
  const supported = `MAX([${stats.map(({ Id }) => `FILL(${Id}, 0)`).join(', ')}])`;
  const [first] = stats;
  const isSupported =
    expression === supported && stats.every(({ MetricStat }) => MetricStat.Period === first?.MetricStat.Period);
  if (!first || !isSupported) {
    throw new LocalError(
      `${placeOf(resource)}: the local run does not support the expression ${expression}, only ${supported} with one period.`,
    );
  }
  return {
    highestOf: stats.map(({ MetricStat }) => toStatistic(MetricStat.Metric, MetricStat.Stat)),
    periodMs: first.MetricStat.Period * SECOND_MS,
  };
};

const checkRecorded = ({ metric: watched }: MetricStatistic, resource: DeclaredResource): void => {
  if (isRecorded(watched)) return;
  const { namespace, name, dimensions } = watched;
  throw new LocalError(
    `${placeOf(resource)}: the local run does not record the metric ${namespace} ${name} by ` +
      `${Object.keys(dimensions).join(' and ')}, so the alarm would never start. ` +
      'Add it in local/emulators/cloudwatch/aws-metrics.ts.',
  );
};
