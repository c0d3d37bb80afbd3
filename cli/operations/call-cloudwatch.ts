import { callAws } from './call-aws.ts';
import type { Signer } from './signed-fetch.ts';

/** Where a stack's alarms are. */
export interface CloudWatchSource extends Signer {
  readonly cloudWatchUrl: string;
}

type Operation = 'DescribeAlarms' | 'DescribeAlarmHistory' | 'SetAlarmState';

/**
 * Calls an operation of CloudWatch, and returns the body of the response. Times are in seconds since 1970.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Operations.html
 *
 * @throws Error with the type and the message of CloudWatch's error
 */
export const callCloudWatch = async (
  { cloudWatchUrl, region, credentials }: CloudWatchSource,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  callAws(
    { service: 'monitoring', url: cloudWatchUrl, region, credentials },
    `GraniteServiceVersion20100801.${operation}`,
    input,
  );
