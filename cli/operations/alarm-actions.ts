import { z } from 'zod';
import { type CloudWatchSource, callCloudWatch } from './call-cloudwatch.ts';

/** A notification that CloudWatch sent, or tried to send, when an alarm started or ended. */
export interface AlarmAction {
  /** What was notified: the ARN of an SNS topic. */
  readonly resource: string;
  /** ISO 8601. */
  readonly at: string;
  /** Why it failed. Undefined if it was executed. */
  readonly error?: string;
}

const history = z.object({
  AlarmHistoryItems: z.array(z.object({ HistorySummary: z.string(), Timestamp: z.number() })),
});

/**
 * What the history says, such as `Failed to execute action arn:aws:sns:…:alarms. Received error: "…"`.
 *
 * Source: https://repost.aws/knowledge-center/cloudwatch-receive-sns-for-alarm-trigger
 */
const SUMMARY = /^(Successfully executed|Failed to execute) action (\S+?)\.?(?:\s+(.*))?$/s;

/** Each change of an alarm's state is one item per action, so these are the last few changes. */
const MAX_RECORDS = 10;

/**
 * Returns an alarm's latest actions, newest first.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 *
 * @param alarmName its name in CloudWatch
 * @param since ISO 8601. @default as long as CloudWatch keeps them
 */
export const readActions = async (
  source: CloudWatchSource,
  alarmName: string,
  since?: string,
): Promise<readonly AlarmAction[]> => {
  const { AlarmHistoryItems } = history.parse(
    await callCloudWatch(source, 'DescribeAlarmHistory', {
      AlarmName: alarmName,
      HistoryItemType: 'Action',
      ScanBy: 'TimestampDescending',
      MaxRecords: MAX_RECORDS,
      ...(since !== undefined && { StartDate: Date.parse(since) / 1000 }),
    }),
  );
  return AlarmHistoryItems.flatMap(({ HistorySummary, Timestamp }) => {
    const [, outcome, resource, rest = ''] = SUMMARY.exec(HistorySummary) ?? [];
    if (resource === undefined) return [];
    const action = { resource, at: new Date(Timestamp * 1000).toISOString() };
    if (outcome === 'Successfully executed') return [action];
    return [
      { ...action, error: rest.replace(/^Received error: /, '').replace(/^"(.*)"$/s, '$1') || 'no reason given' },
    ];
  });
};

/** What to do about an action that failed. */
export const ACTION_REMEDY =
  "The topic's policy must allow cloudwatch.amazonaws.com to call sns:Publish. If the topic is encrypted, it needs a " +
  'customer managed key whose policy allows cloudwatch.amazonaws.com to call kms:Decrypt and kms:GenerateDataKey*. The ' +
  "topic must be in the stage's region.";
