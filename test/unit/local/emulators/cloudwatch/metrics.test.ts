import { Metrics } from '@aws-lambda-powertools/metrics';
import { describe, expect, it } from 'vitest';
import { createMovableClock } from '../../../../../local/base/clock.ts';
import { isRecorded, recordHttpAnswer, recordQueues } from '../../../../../local/emulators/cloudwatch/aws-metrics.ts';
import { createMetricsReader } from '../../../../../local/emulators/cloudwatch/embedded-metrics.ts';
import { createMetricStore, MINUTE_MS } from '../../../../../local/emulators/cloudwatch/metric-store.ts';
import { createQueues } from '../../../../../local/emulators/sqs/queues.ts';

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

describe('the metrics of the local run', () => {
  it('include what Powertools writes, even in pieces of a line', async () => {
    const store = createMetricStore();
    const reader = createMetricsReader(store);
    const metrics = new Metrics({ namespace: 'Parley-dev', serviceName: 'send' });
    metrics.addMetric('SendRejected', 'Count', 2);
    const written = JSON.stringify(metrics.serializeMetrics());
    const line = Buffer.from(`plain text\n{"message":"no metric"}\n${written}\n`);
    reader.write(line.subarray(0, 60));
    reader.write(line.subarray(60));

    const identity = { namespace: 'Parley-dev', name: 'SendRejected', dimensions: { service: 'send' } };
    const now = minuteOf(Date.now());
    expect(store.statistic(identity, 'Sum', now - MINUTE_MS, now + 2 * MINUTE_MS)).toBe(2);
  });

  it('show the length of a queue, and the age of its oldest message, but not of one that was received three times', () => {
    const clock = createMovableClock();
    const start = minuteOf(clock.now().getTime());
    let now = start;
    const queues = createQueues({ now: () => now, onChange: () => undefined });
    const queue = queues.create({
      name: 'q',
      arn: 'arn',
      isFifo: false,
      contentBasedDeduplication: false,
      deduplicationScope: 'queue',
      delaySeconds: 0,
      visibilityTimeoutSeconds: 0,
      retentionSeconds: 1_209_600,
      receiveWaitSeconds: 0,
      maximumMessageBytes: 262_144,
    });
    const store = createMetricStore();
    const measure = (minutes: number) => {
      now = start + minutes * MINUTE_MS;
      recordQueues(store, (at) => queues.all().map((one) => one.gauges(at)), now);
      const metric = (name: string) => ({ namespace: 'AWS/SQS', name, dimensions: { QueueName: 'q' } });
      const value = (name: string) => store.statistic(metric(name), 'Maximum', now - MINUTE_MS, now);
      return [value('ApproximateNumberOfMessagesVisible'), value('ApproximateAgeOfOldestMessage')];
    };

    expect(measure(1)).toEqual([undefined, undefined]);
    queue.send({ body: 'x', attributes: {} });
    expect(measure(6)).toEqual([1, 299]);
    for (let receives = 0; receives < 3; receives += 1) queue.receive({ max: 1 });
    expect(measure(12)).toEqual([1, undefined]);
    queue.receive({ max: 1, visibilityTimeoutSeconds: 3_600 });
    expect(measure(13)).toEqual([undefined, undefined]);
  });

  it('count the errors of HTTP APIs, but not their other answers', () => {
    const store = createMetricStore();
    const at = new Date();
    for (const status of [200, 401, 404, 503]) recordHttpAnswer(store, { apiId: 'a', stage: '$default', status, at });
    const count = (name: string) =>
      store.statistic(
        { namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: 'a', Stage: '$default' } },
        'Sum',
        minuteOf(at.getTime()),
        minuteOf(at.getTime()) + MINUTE_MS,
      );

    expect([count('4xx'), count('5xx'), count('2xx')]).toEqual([2, 1, undefined]);
  });

  it('do not include metrics of AWS that the local run does not record, or with other dimensions', () => {
    const metric = (namespace: string, name: string, ...dimensions: readonly string[]) => ({
      namespace,
      name,
      dimensions: Object.fromEntries(dimensions.map((dimension) => [dimension, 'x'])),
    });

    expect(isRecorded(metric('AWS/Lambda', 'Errors', 'FunctionName'))).toBe(true);
    expect(isRecorded(metric('AWS/Lambda', 'Errors', 'FunctionName', 'Resource'))).toBe(false);
    expect(isRecorded(metric('AWS/Lambda', 'Errors', 'FunctionName', 'Resource', 'ExecutedVersion'))).toBe(true);
    expect(isRecorded(metric('AWS/Lambda', 'IteratorAge', 'FunctionName', 'Resource', 'ExecutedVersion'))).toBe(false);
    expect(isRecorded(metric('AWS/Lambda', 'Duration', 'FunctionName'))).toBe(false);
    expect(isRecorded(metric('AWS/Events', 'PutEventsEntriesCount', 'EventBusName'))).toBe(false);
    expect(isRecorded(metric('Parley-dev', 'Anything', 'service'))).toBe(true);
  });
});
