import { z } from 'zod';
import { createSignedFetch, type Signer } from './signed-fetch.ts';

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
}

const response = z.object({
  MetricAlarms: z.array(
    z.object({
      AlarmName: z.string(),
      AlarmDescription: z.string().default(''),
      StateValue: z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']),
      StateUpdatedTimestamp: z.number(),
    }),
  ),
  NextToken: z.string().optional(),
});

const errorBody = z.object({ message: z.string() }).or(z.object({ Message: z.string() }));

/** CloudFormation names an alarm after the stack, its logical id, and a random suffix, which local runs do not add. */
const NAME = /^.*-Monitoring(.+?)[0-9A-F]{8}(-[A-Za-z0-9]+)?$/;

const MAX_RECORDS = 100;
const TIMEOUT_MS = 10_000;

/** Where a stack's alarms are. */
export interface AlarmsSource extends Signer {
  /** What the names of the stack's alarms start with. @default all alarms */
  readonly alarmNamePrefix?: string;
  readonly cloudWatchUrl: string;
}

/**
 * Returns the stack's alarms, in the order of their names.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export const readAlarms = async ({
  alarmNamePrefix: AlarmNamePrefix,
  cloudWatchUrl,
  region,
  credentials,
}: AlarmsSource): Promise<readonly AlarmReport[]> => {
  const call = createSignedFetch({ service: 'monitoring', region, credentials }, TIMEOUT_MS);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'GraniteServiceVersion20100801.DescribeAlarms',
  };
  const found: AlarmReport[] = [];
  let NextToken: string | undefined;
  do {
    const input = { AlarmNamePrefix, MaxRecords: MAX_RECORDS, NextToken };
    const answer = await call('POST', new URL(cloudWatchUrl), JSON.stringify(input), headers);
    const body: unknown = await answer.json().catch(() => undefined);
    if (!answer.ok) throw new Error(messageIn(body) ?? `CloudWatch returned ${answer.status}`);
    const page = response.parse(body);
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
});

const messageIn = (body: unknown): string | undefined => {
  const { data } = errorBody.safeParse(body);
  return data && ('message' in data ? data.message : data.Message);
};
