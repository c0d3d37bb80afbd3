import { z } from 'zod';
import { createSignedFetch, type Signer } from './signed-fetch.ts';

/** Where a stack's alarms are. */
export interface CloudWatchSource extends Signer {
  readonly cloudWatchUrl: string;
}

type Operation = 'DescribeAlarms' | 'DescribeAlarmHistory' | 'SetAlarmState';

const errorBody = z.object({
  __type: z.string().default('Error'),
  message: z.string().optional(),
  Message: z.string().optional(),
});

const TIMEOUT_MS = 10_000;

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
): Promise<unknown> => {
  const call = createSignedFetch({ service: 'monitoring', region, credentials }, TIMEOUT_MS);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
  };
  const answer = await call('POST', new URL(cloudWatchUrl), JSON.stringify(input), headers);
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  const { data } = errorBody.safeParse(body);
  const error = new Error(data?.message ?? data?.Message ?? `CloudWatch returned ${answer.status}`);
  error.name = data?.__type ?? 'Error';
  throw error;
};
