import type { QueueGauges } from '../sqs/queue.ts';
import type { MetricIdentity, MetricStore } from './metric-store.ts';

/**
 * The metrics of AWS services that the local run records, with their dimensions. An alarm on any other
 * metric of these namespaces would never start, so the local run refuses it.
 *
 * Sources: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html and
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 */
const AWS_METRICS: Readonly<
  Record<string, readonly { readonly names: readonly string[]; readonly dimensions: readonly string[] }[]>
> = {
  'AWS/SQS': [
    { names: ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'], dimensions: ['QueueName'] },
  ],
  'AWS/Lambda': [
    { names: ['Errors', 'Throttles', 'IteratorAge'], dimensions: ['FunctionName'] },
    { names: ['Errors', 'Throttles'], dimensions: ['ExecutedVersion', 'FunctionName', 'Resource'] },
  ],
  'AWS/ApiGateway': [
    { names: ['4xx', '5xx'], dimensions: ['ApiId', 'Stage'] },
    { names: ['4XXError', '5XXError'], dimensions: ['ApiName', 'Stage'] },
    // Only of a stage with detailed metrics.
    { names: ['4XXError', '5XXError'], dimensions: ['ApiName', 'Method', 'Resource', 'Stage'] },
  ],
};

/** Whether the local run records a metric. It records every metric of the functions' own namespaces. */
export const isRecorded = ({ namespace, name, dimensions }: MetricIdentity): boolean => {
  if (!namespace.startsWith('AWS/')) return true;
  const given = Object.keys(dimensions).toSorted().join();
  return (AWS_METRICS[namespace] ?? []).some(
    (known) => known.names.includes(name) && known.dimensions.join() === given,
  );
};

/** Records the lengths and ages of queues at the end of a minute. */
export const recordQueues = (
  store: MetricStore,
  queues: (at: number) => readonly QueueGauges[],
  endOfMinute: number,
): void => {
  // In the minute that ends.
  const at = endOfMinute - 1;
  for (const { name: QueueName, visible, oldestSeconds } of queues(at)) {
    const record = (name: string, value: number): void =>
      store.record({ namespace: 'AWS/SQS', name, dimensions: { QueueName } }, value, at);
    // SQS also reports zeros, which make no difference to an alarm.
    if (visible > 0) record('ApproximateNumberOfMessagesVisible', visible);
    if (oldestSeconds !== undefined) record('ApproximateAgeOfOldestMessage', oldestSeconds);
  }
};

/** Returns what records the metrics of a function. */
export const functionMetrics = (store: MetricStore, FunctionName: string, now: () => Date) => ({
  record: (name: 'Errors' | 'Throttles' | 'IteratorAge', value: number): void =>
    store.record({ namespace: 'AWS/Lambda', name, dimensions: { FunctionName } }, value, now().getTime()),
});

/**
 * Returns what records the metrics of a version that an alias names. Lambda emits them only while the alias names two
 * versions.
 *
 * Source: https://github.com/aws/serverless-application-model/blob/develop/docs/safe_lambda_deployments.rst
 */
export const versionMetrics = (
  store: MetricStore,
  FunctionName: string,
  alias: { readonly name: string; readonly version: string },
  now: () => Date,
) => ({
  record: (name: 'Errors' | 'Throttles', value: number): void => {
    const dimensions = { ExecutedVersion: alias.version, FunctionName, Resource: `${FunctionName}:${alias.name}` };
    store.record({ namespace: 'AWS/Lambda', name, dimensions }, value, now().getTime());
  },
});

export type FunctionMetrics = ReturnType<typeof functionMetrics>;

/** An answer of an HTTP API. */
export interface HttpAnswer {
  readonly apiId: string;
  readonly stage: string;
  readonly status: number;
  readonly at: Date;
}

/** Records the answer of an HTTP API. */
export const recordHttpAnswer = (store: MetricStore, { apiId, stage, status, at }: HttpAnswer): void => {
  const name = status >= 500 ? '5xx' : status >= 400 ? '4xx' : undefined;
  if (name === undefined) return;
  store.record({ namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: apiId, Stage: stage } }, 1, at.getTime());
};

/** An answer of a REST API. */
export interface RestApiAnswer {
  readonly apiName: string;
  readonly stage: string;
  /** The method that answered. Undefined for unknown paths, and in a stage without detailed metrics. */
  readonly method: { readonly Method: string; readonly Resource: string } | undefined;
  readonly status: number;
  readonly at: Date;
}

/** Records the answer of a REST API. */
export const recordRestApiAnswer = (store: MetricStore, answer: RestApiAnswer): void => {
  const { apiName: ApiName, stage: Stage, method, status, at } = answer;
  const name = status >= 500 ? '5XXError' : status >= 400 ? '4XXError' : undefined;
  if (name === undefined) return;
  for (const dimensions of [{ ApiName, Stage }, ...(method ? [{ ApiName, ...method, Stage }] : [])]) {
    store.record({ namespace: 'AWS/ApiGateway', name, dimensions }, 1, at.getTime());
  }
};
