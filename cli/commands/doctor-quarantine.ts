import { countAllMessages } from '../../lambdas/adapters/sqs-backlog.ts';
import { type CommandFor, count } from '../base/command.ts';
import type { Target } from '../base/target.ts';
import { type DeadLetter, listDeadLetters } from '../operations/dead-letter-queue.ts';
import { countMetricEvents, countSandboxRequests, type WebhookEvents } from '../operations/webhook-requests.ts';
import type { Finding } from './finding.ts';

/** The properties of the target that the check needs. */
export type QuarantineTarget = Pick<Target, 'sqs' | 'region' | 'credentials' | 'metricsNamespace'> & {
  readonly addresses: Pick<Target['addresses'], 'inboundDeadLetterQueueUrl' | 'chatServiceUrl'>;
};

const HOUR_MS = 60 * 60 * 1000;
const PERIODS = [
  { name: 'hour', ms: HOUR_MS },
  { name: 'day', ms: 24 * HOUR_MS },
] as const;

/** Enough to see the usual reasons. */
const SAMPLE = 100;

/**
 * Recognizes a stage that quarantines every event, and says why. Reports nothing while the quarantine is empty, and
 * nothing if the events cannot be counted: the check of webhook requests reports that.
 */
export const checkQuarantine = async (
  target: QuarantineTarget,
  commandFor: CommandFor,
  now: string,
): Promise<readonly Finding[]> => {
  const queue = { sqs: target.sqs, url: target.addresses.inboundDeadLetterQueueUrl };
  if ((await countAllMessages(queue.sqs, queue.url)) === 0) return [];
  const { deadLetters } = await listDeadLetters(queue, {}, SAMPLE);
  const counted = await Promise.all(
    PERIODS.map(async ({ name, ms }) => {
      const start = new Date(Date.parse(now) - ms);
      const events = await countEvents(target, deadLetters, start, new Date(now)).catch(() => undefined);
      return { name, start, ...(events ?? { stored: 0, quarantined: 0 }) };
    }),
  );
  // A stage with few events may have none in the last hour.
  const latest = counted.find(({ stored, quarantined }) => stored + quarantined > 0);
  if (latest === undefined || latest.stored > 0) return [];
  return [
    {
      check: 'webhook',
      // Others were stored earlier: the provider may have changed its format, or this event alone is unreadable.
      grade: counted.some(({ stored }) => stored > 0) ? 'warning' : 'failing',
      message:
        `In the last ${latest.name}, ${count(latest.quarantined, 'event')} ` +
        `${latest.quarantined === 1 ? 'was' : 'were'} quarantined, and none was stored.${reasonsOf(deadLetters)}`,
      remedy:
        'The chat service posts a format that this version of Parley does not know, or webhook.auth has the wrong ' +
        `envelope. Compare one, as shown by ${commandFor('parley dead-letters list inbound')}, with docs/provider.md. ` +
        `After an upgrade or a fix, store them: ${commandFor('parley dead-letters redrive inbound')}.`,
    },
  ];
};

/** Returns undefined if the events of the stage cannot be counted. */
const countEvents = async (
  { region, credentials, metricsNamespace: namespace, addresses: { chatServiceUrl } }: QuarantineTarget,
  deadLetters: readonly DeadLetter[],
  start: Date,
  end: Date,
): Promise<WebhookEvents | undefined> => {
  if (namespace !== undefined) return countMetricEvents({ region, credentials, namespace }, start, end);
  const requests = chatServiceUrl === undefined ? undefined : await countSandboxRequests(chatServiceUrl, start);
  if (requests === undefined) return undefined;
  const quarantined = deadLetters.filter(({ since }) => since !== undefined && new Date(since) >= start).length;
  return { stored: Math.max(0, requests.accepted - quarantined), quarantined };
};

const REASONS = 3;

/** The most frequent reasons, as a sentence. Another command may be reading the dead letters, so there may be none. */
const reasonsOf = (deadLetters: readonly DeadLetter[]): string => {
  const groups = [...Map.groupBy(deadLetters, ({ reason }) => reason)].toSorted(([, a], [, b]) => b.length - a.length);
  if (groups.length === 0) return '';
  return ` Reasons: ${groups
    .slice(0, REASONS)
    .map(([reason, { length }]) => `${reason.replace(/\.$/, '')} (${length})`)
    .join(', ')}.`;
};
