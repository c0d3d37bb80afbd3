import type { DeliveryOptions, RestoredDelivery } from '../delivery/delivery.ts';
import { type DeliveryAttempt, type PublishedMessage, shownBody } from '../delivery/published-message.ts';
import { deliveryView, eventView, expiredView } from '../delivery/views.ts';
import type { ActivityCounts } from '../service/activity-counts.ts';
import type { Call } from '../service/call-log.ts';
import { callEntries, latestEntries, messageEntries } from '../service/earlier-run.ts';
import type { EarlierEntry } from '../service/feed.ts';
import type { ServiceState } from '../service/state.ts';
import type { StoredService } from '../store/store.ts';

/** How many feed entries of an earlier run are restored. */
const MAX_EARLIER_ENTRIES = 500;

export interface DeliveryRecords {
  readonly events: StoredService['events'];
  readonly counts: ActivityCounts;
  /** Adds an entry to the feed. */
  readonly publish: (type: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Returns listeners that store each event and attempt, and add it to the feed. */
export const recordDeliveries = ({
  events,
  counts,
  publish,
}: DeliveryRecords): Pick<DeliveryOptions, 'onPublish' | 'onAttempt' | 'onChange' | 'onForget' | 'onExpire'> => ({
  onPublish: (message) => {
    events.putBody(message);
    publish('event-published', publishedFields(message));
  },
  onAttempt: (attempt) => {
    events.putAttempt(attempt);
    if (!isSuccess(attempt.status)) counts.add('failedDeliveries', new Date());
    publish('webhook-attempt', attemptFields(attempt));
  },
  onChange: events.put,
  onForget: events.delete,
  onExpire: (message) => publish('event-expired', expiredView(message)),
});

/** Returns the latest feed entries of an earlier run: its messages, events, calls, and webhook attempts. */
export const earlierEntries = (
  state: ServiceState,
  { messages, attempts }: RestoredDelivery,
  calls: readonly Call[],
): readonly EarlierEntry[] =>
  latestEntries(
    [
      ...messageEntries(state),
      ...messages.map((message) => ({
        type: 'event-published',
        at: message.publishedAt,
        fields: () => publishedFields(message),
      })),
      ...callEntries(state, calls),
      ...attempts.map((attempt) => ({ type: 'webhook-attempt', at: attempt.at, fields: () => attemptFields(attempt) })),
    ],
    MAX_EARLIER_ENTRIES,
  );

const publishedFields = (message: PublishedMessage) => ({
  messageId: message.messageId,
  event: eventView(shownBody(message)),
});

const attemptFields = (attempt: DeliveryAttempt) => ({ delivery: deliveryView(attempt) });

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;
