import { z } from 'zod';
import { type CloudWatchSource, callCloudWatch } from './call-cloudwatch.ts';

/** An alarm of the stack. */
export interface AlarmReport {
  /** The heading of its section in the runbook, such as `SendDeadLetters`. */
  readonly alarm: string;
  /** Whether it is on; undefined if CloudWatch has not evaluated it yet. */
  readonly isOn: boolean | undefined;
  /** When it last changed, as ISO 8601. */
  readonly since: string;
  /** What it means, and the link to the runbook. */
  readonly description: string;
  /** Its name in CloudWatch. */
  readonly name: string;
  /** The ARNs of what CloudWatch notifies when it starts. Empty if its actions are disabled. */
  readonly actions: readonly string[];
}

const response = z.object({
  MetricAlarms: z.array(
    z.object({
      AlarmName: z.string(),
      AlarmDescription: z.string().default(''),
      StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']),
      StateUpdatedTimestamp: z.number(),
      ActionsEnabled: z.boolean().default(true),
      AlarmActions: z.array(z.string()).default([]),
    }),
  ),
  NextToken: z.string().optional(),
});

/** CloudFormation names an alarm after the stack, its logical id, and a random suffix, which local runs do not add. */
const NAME = /^.*-Monitoring(.+?)[0-9A-F]{8}(-[A-Za-z0-9]+)?$/;

const MAX_RECORDS = 100;

/** Where a stack's alarms are. */
export interface AlarmsSource extends CloudWatchSource {
  /** What the names of the stack's alarms start with. @default all alarms */
  readonly alarmNamePrefix?: string;
}

/**
 * Returns the stack's alarms, in the order of their names.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export const readAlarms = async (source: AlarmsSource): Promise<readonly AlarmReport[]> => {
  const found: AlarmReport[] = [];
  let NextToken: string | undefined;
  do {
    const input = { AlarmNamePrefix: source.alarmNamePrefix, MaxRecords: MAX_RECORDS, NextToken };
    const page = response.parse(await callCloudWatch(source, 'DescribeAlarms', input));
    found.push(...page.MetricAlarms.map(toReport));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return found.toSorted((a, b) => (a.alarm < b.alarm ? -1 : 1));
};

const toReport = (alarm: z.output<typeof response>['MetricAlarms'][number]): AlarmReport => ({
  alarm: NAME.exec(alarm.AlarmName)?.[1] ?? alarm.AlarmName,
  isOn: alarm.StateValue === 'INSUFFICIENT_DATA' ? undefined : alarm.StateValue === 'ALARM',
  since: new Date(alarm.StateUpdatedTimestamp * 1000).toISOString(),
  description: alarm.AlarmDescription,
  name: alarm.AlarmName,
  actions: alarm.ActionsEnabled ? alarm.AlarmActions : [],
});
