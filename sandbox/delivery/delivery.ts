import { randomInt } from 'node:crypto';
import { createAttemptLog } from './attempt-log.ts';
import type { DeliveryAttempt, PublishedMessage } from './published-message.ts';
import { createPusher, type PusherOptions } from './pusher.ts';
import { createRetention, type RetentionOptions } from './retention.ts';
import type { WebhookSettings } from './subscription.ts';

/**
 * The publish/subscribe system: delivers each event to the webhook at least once, with concurrency 10 and in no
 * guaranteed order. Pauses are in real time; retention is on the service's clock. Without redelivery, it posts each event
 * once, as the webhooks of today's consoles do.
 */
export interface Delivery {
  /** Publishes an event and returns its message id. Without a webhook, the event waits. */
  publish(body: Uint8Array): string;
  /** Replaces the subscription; waiting events are delivered to the new webhook immediately. */
  setWebhook(webhook: WebhookSettings): void;
  /** Whether an event that was not acknowledged is delivered again. @default true */
  setRedelivers(redelivers: boolean): void;
  redelivery(): Redelivery;
  /** Returns the latest completed attempts, in order of completion. */
  attempts(): readonly DeliveryAttempt[];
  /** Returns the latest completed attempts to deliver an event that names this id. */
  attemptsOf(id: string): readonly DeliveryAttempt[];
  /** Returns the number of events that are neither acknowledged nor expired. */
  pending(): number;
  /** Returns the events that were dropped without acknowledgment. */
  expired(): readonly PublishedMessage[];
  /** Returns the number of acknowledged events that can be replayed. */
  retained(): number;
  /** Redelivers the retained events published since `from` or with these ids. Returns their number. */
  replay(which: { from?: Date; messageIds?: readonly string[] }): number;
  /** Confirms an SNS subscription. Returns false for an unknown token. */
  confirm(token: string): boolean;
  /** Applies a clock change: drops the events that have expired, and ends the current pause. */
  clockMoved(): void;
  /** Stops delivery. Unacknowledged events are lost unless a data file holds them. */
  close(): Promise<void>;
}

/** How events are delivered. `pausedUntil`: until then, none are posted, because too many posts have failed. */
export interface Redelivery {
  readonly redelivers: boolean;
  readonly pausedUntil?: Date;
}

export interface DeliveryOptions
  extends Omit<PusherOptions, 'webhook' | 'onAttempt'>,
    Omit<RetentionOptions, 'now'>,
    DeliveryListeners {
  readonly webhook?: WebhookSettings | undefined;
  /** The messages and attempts of an earlier run. */
  readonly restored?: RestoredDelivery | undefined;
}

export interface RestoredDelivery {
  readonly messages: readonly PublishedMessage[];
  readonly attempts: readonly DeliveryAttempt[];
}

/** Called for each published event and each completed attempt. */
export interface DeliveryListeners {
  readonly onPublish?: (message: PublishedMessage) => void;
  readonly onAttempt?: (attempt: DeliveryAttempt) => void;
}

export const createDelivery = ({ restored, webhook, onPublish, onAttempt, ...options }: DeliveryOptions): Delivery => {
  const { clock } = options;
  const attempts = createAttemptLog(restored?.attempts);
  const retention = createRetention({ ...options, now: () => clock.now() });
  let nextMessageId = randomInt(10 ** 12, 10 ** 14);
  const pusher = createPusher(retention, {
    ...options,
    webhook,
    onAttempt: (attempt) => {
      attempts.add(attempt);
      onAttempt?.(attempt);
    },
  });

  const newMessage = (body: Uint8Array, confirmationToken?: string): PublishedMessage => ({
    messageId: String(nextMessageId++),
    publishedAt: clock.now(),
    body,
    confirmationToken,
    attempts: 0,
    state: 'waiting',
  });

  const requestConfirmation = () => {
    for (const message of retention.waiting) if (message.confirmationToken !== undefined) retention.discard(message);
    const request = pusher.subscription.confirmationRequest();
    if (request !== undefined) retention.wait(newMessage(Buffer.from(request.text), request.token));
  };

  for (const message of restored?.messages ?? []) {
    nextMessageId = Math.max(nextMessageId, Number(message.messageId) + 1);
    retention.restore(message);
  }
  requestConfirmation();
  pusher.push();
  return {
    publish: (body) => {
      const message = newMessage(body);
      onPublish?.(message);
      retention.wait(message);
      pusher.push();
      return message.messageId;
    },
    setWebhook: (replacement) => {
      pusher.setWebhook(replacement);
      requestConfirmation();
      pusher.resume();
    },
    setRedelivers: pusher.setRedelivers,
    redelivery: () => {
      const pausedUntil = pusher.pausedUntil();
      return { redelivers: pusher.redelivers, ...(pausedUntil && { pausedUntil }) };
    },
    attempts: attempts.latest,
    attemptsOf: attempts.of,
    pending: () => {
      retention.sweep();
      return retention.waiting.size + pusher.inFlight().filter(retention.isRetained).length;
    },
    expired: () => retention.expired,
    retained: () => retention.acknowledged.size,
    replay: ({ from, messageIds }) => {
      retention.sweep();
      const chosen = [...retention.acknowledged].filter(
        ({ publishedAt, messageId }) =>
          (from === undefined || publishedAt >= from) && (messageIds === undefined || messageIds.includes(messageId)),
      );
      for (const message of chosen) retention.wait(message);
      pusher.push();
      return chosen.length;
    },
    confirm: (token) => {
      const isConfirmed = pusher.subscription.confirm(token);
      if (isConfirmed) pusher.push();
      return isConfirmed;
    },
    clockMoved: () => {
      retention.sweep();
      pusher.resume();
    },
    close: pusher.close,
  };
};
