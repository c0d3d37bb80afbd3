import { z } from 'zod';
import { cloudWatchUrl } from './aws-endpoint.ts';
import { createSignedFetch, type Signer } from './signed-fetch.ts';

/** How many webhook requests Parley accepted, and how many it refused as unauthenticated. */
export interface WebhookRequests {
  readonly accepted: number;
  readonly refused: number;
}

/** What happened to the events in accepted requests. */
export interface WebhookEvents {
  readonly stored: number;
  readonly quarantined: number;
}

const deliveries = z.object({
  deliveries: z.array(z.object({ at: z.string(), status: z.number().nullish() })),
});

/** Counts the sandbox's attempts since `start`. Returns undefined if the chat service is not the sandbox. */
export const countSandboxRequests = async (
  chatServiceUrl: string,
  start: Date,
): Promise<WebhookRequests | undefined> => {
  const response = await fetch(`${chatServiceUrl}/sandbox/deliveries`, { signal: AbortSignal.timeout(10_000) });
  const { data } = deliveries.safeParse(response.ok ? await response.json() : undefined);
  const recent = data?.deliveries.filter(({ at }) => new Date(at) >= start);
  return (
    recent && {
      accepted: recent.filter(({ status }) => status != null && status < 300).length,
      refused: recent.filter(({ status }) => status === 401).length,
    }
  );
};

/** What the function `receive` counts for an authentic request, and for any other. */
const ACCEPTED_METRICS = ['EventStored', 'EventQuarantined', 'EventDeferred'];
const REFUSED_METRIC = 'WebhookUnauthenticated';

export interface MetricSource extends Signer {
  /** The namespace of the stack's metrics. */
  readonly namespace: string;
}

/** Counts the requests since `start` from CloudWatch's metrics. The unsigned requests of `doctor` count as refused. */
export const countMetricRequests = async (source: MetricSource, start: Date, end: Date): Promise<WebhookRequests> => {
  const sum = (metricName: string) => sumOf(source, metricName, start, end);
  const [refused, ...accepted] = await Promise.all([REFUSED_METRIC, ...ACCEPTED_METRICS].map(sum));
  return { refused: refused ?? 0, accepted: accepted.reduce((total, one) => total + one, 0) };
};

/** Counts the accepted test requests of `doctor` since `start` from CloudWatch's metrics. */
export const countProbes = (source: MetricSource, start: Date, end: Date): Promise<number> =>
  sumOf(source, 'WebhookProbed', start, end);

/** Counts what happened to the events since `start` from CloudWatch's metrics. */
export const countMetricEvents = async (source: MetricSource, start: Date, end: Date): Promise<WebhookEvents> => {
  const [stored, quarantined] = await Promise.all([
    sumOf(source, 'EventStored', start, end),
    sumOf(source, 'EventQuarantined', start, end),
  ]);
  return { stored, quarantined };
};

/** Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html */
const sumOf = async (
  { region, namespace, credentials }: MetricSource,
  metricName: string,
  start: Date,
  end: Date,
): Promise<number> => {
  const url = new URL(cloudWatchUrl(region));
  url.search = new URLSearchParams({
    Action: 'GetMetricStatistics',
    Version: '2010-08-01',
    Namespace: namespace,
    MetricName: metricName,
    'Dimensions.member.1.Name': 'service',
    'Dimensions.member.1.Value': 'receive',
    StartTime: start.toISOString(),
    EndTime: end.toISOString(),
    Period: '3600',
    'Statistics.member.1': 'Sum',
  }).toString();
  const response = await createSignedFetch({ service: 'monitoring', region, credentials }, 10_000)('GET', url);
  const text = await response.text();
  if (!response.ok) {
    throw new Error(/<Message>([^<]*)/.exec(text)?.[1] ?? `CloudWatch returned ${response.status}`);
  }
  return [...text.matchAll(/<Sum>([^<]+)<\/Sum>/g)].reduce((total, [, number]) => total + Number(number), 0);
};
