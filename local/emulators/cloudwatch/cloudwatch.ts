import { z } from 'zod';
import type { MovableClock } from '../../base/clock.ts';
import type { ListeningServer } from '../../base/listen-locally.ts';
import { type AwsResponse, awsError, startAwsJsonServer, unknownOperation } from '../aws-json-server.ts';
import type { QueueGauges } from '../sqs/queue.ts';
import { type AlarmStatus, type Alarms, createAlarms } from './alarms.ts';
import { recordQueues } from './aws-metrics.ts';
import { createMetricStore, type MetricStore } from './metric-store.ts';

/** The metrics and alarms of a run. */
export interface CloudWatch extends ListeningServer {
  readonly metrics: MetricStore;
  readonly alarms: Alarms;
}

export interface CloudWatchContext {
  readonly clock: MovableClock;
  /** Returns the state of every queue at a time, which is not in the future. */
  readonly queues: (at: number) => readonly QueueGauges[];
  /** @default 0, any free port */
  readonly port?: number;
}

/** How often to check whether a minute has ended. When the clock moves, the check is immediate. */
const POLL_MS = 1_000;

/**
 * Emulates CloudWatch's metrics and alarms on the run's clock, and `DescribeAlarms`. It rejects every other operation,
 * because alarms come from the template and metrics from the functions, queues, and APIs.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export const startCloudWatch = async ({ clock, queues, port }: CloudWatchContext): Promise<CloudWatch> => {
  const metrics = createMetricStore();
  const alarms = createAlarms(metrics, clock.now);
  alarms.onMinute((endOfMinute) => recordQueues(metrics, queues, endOfMinute));
  // What happened before a move is part of the minutes before it.
  clock.onMove(async () => alarms.catchUp());
  const timer = setInterval(alarms.catchUp, POLL_MS);
  timer.unref();
  const server = await startAwsJsonServer(
    'application/x-amz-json-1.0',
    ({ operation, input }) =>
      operation === 'GraniteServiceVersion20100801.DescribeAlarms'
        ? describeAlarms(alarms, input)
        : unknownOperation(operation),
    port,
  );
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await server.close();
  };
  return { ...server, metrics, alarms, close, [Symbol.asyncDispose]: close };
};

const describeAlarmsInput = z.strictObject({
  AlarmNamePrefix: z.string().default(''),
  StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']).optional(),
  MaxRecords: z.int().min(1).max(100).default(50),
  NextToken: z.string().optional(),
});

const describeAlarms = (alarms: Alarms, input: unknown): AwsResponse => {
  const { data, error } = describeAlarmsInput.safeParse(input);
  if (!data) {
    const faults = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    return awsError('InvalidParameterValue', `The local run does not support this request. ${faults}`);
  }
  alarms.catchUp();
  const found = alarms
    .all()
    .filter(
      ({ alarm, state }) =>
        alarm.name.startsWith(data.AlarmNamePrefix) && (data.StateValue === undefined || data.StateValue === state),
    );
  const start = Number(data.NextToken ?? 0);
  const end = start + data.MaxRecords;
  return {
    status: 200,
    body: {
      CompositeAlarms: [],
      MetricAlarms: found.slice(start, end).map(describe),
      ...(end < found.length && { NextToken: String(end) }),
    },
  };
};

const describe = ({ alarm, state, since }: AlarmStatus) => ({
  AlarmName: alarm.name,
  AlarmArn: alarm.arn,
  AlarmDescription: alarm.description,
  StateValue: state,
  StateUpdatedTimestamp: since.getTime() / 1000,
  Threshold: alarm.threshold,
  EvaluationPeriods: alarm.evaluationPeriods,
  DatapointsToAlarm: alarm.datapointsToAlarm,
  TreatMissingData: alarm.treatMissingData,
});
