import type { SandboxClock } from '../base/clock.ts';
import { createPostingPause } from './posting-pause.ts';
import type { DeliveryAttempt, PublishedMessage } from './published-message.ts';
import { createPushBackoff, type DeliveryBackoff } from './push-backoff.ts';
import type { Retention } from './retention.ts';
import { createSubscription, type Subscription, type WebhookSettings } from './subscription.ts';
import { createWebhookAttempts, type WebhookAttemptsOptions } from './webhook-attempts.ts';

/** The statuses that acknowledge an event. Source: https://cloud.google.com/pubsub/docs/push */
const ACKNOWLEDGING: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

const CONCURRENT_PUSHES = 10;

/** Pushes waiting messages to the webhook: how many at once, and when to pause. */
export interface Pusher {
  readonly subscription: Subscription;
  readonly redelivers: boolean;
  /** Until when nothing is posted without redelivery, because too many posts have failed. */
  pausedUntil(): Date | undefined;
  inFlight(): readonly PublishedMessage[];
  /** Pushes what waits, unless it pauses. */
  push(): void;
  /** Ends the current pause, and pushes what waits. */
  resume(): void;
  /** Starts with a new webhook and without failures. Takes effect with the next push. */
  setWebhook(webhook: WebhookSettings | undefined): void;
  setRedelivers(redelivers: boolean): void;
  close(): Promise<void>;
}

export interface PusherOptions extends WebhookAttemptsOptions {
  readonly clock: SandboxClock;
  readonly backoff: DeliveryBackoff;
  readonly webhook: WebhookSettings | undefined;
  readonly onAttempt: (attempt: DeliveryAttempt) => void;
}

export const createPusher = (retention: Retention, options: PusherOptions): Pusher => {
  const { clock, backoff, onAttempt } = options;
  const closing = new AbortController();
  const attempts = createWebhookAttempts(options, closing.signal);
  const inFlight = new Map<PublishedMessage, Promise<void>>();
  const postingPause = createPostingPause();
  let subscription = createSubscription(options.webhook);
  let pushBackoff = createPushBackoff(backoff);
  let pause: NodeJS.Timeout | undefined;
  let redelivers = true;

  const pausedUntil = () => (redelivers ? undefined : postingPause.until(clock.now()));

  const push = () => {
    const { webhook } = subscription;
    if (closing.signal.aborted || pause !== undefined || webhook === undefined) return;
    if (pausedUntil() !== undefined) {
      for (const message of retention.waiting) retention.drop(message);
      return;
    }
    for (const message of retention.waiting) {
      if (inFlight.size >= CONCURRENT_PUSHES) return;
      if (subscription.takes(message) && retention.take(message)) inFlight.set(message, pushOne(message, webhook));
    }
  };

  const pushOne = async (message: PublishedMessage, webhook: WebhookSettings): Promise<void> => {
    const ownBackoff = pushBackoff;
    const round = ownBackoff.round();
    const attempt = await attempts.post(message, webhook, onAttempt);
    inFlight.delete(message);
    if (closing.signal.aborted) return;
    onAttempt(attempt);
    if (attempt.status !== null && ACKNOWLEDGING.has(attempt.status)) {
      ownBackoff.acknowledged();
      if (message.confirmationToken === undefined) retention.acknowledge(message);
      else retention.discard(message);
    } else if (!redelivers) {
      postingPause.countFailure(attempt.at);
      retention.drop(message);
    } else {
      retention.wait(message);
      const pauseMs = ownBackoff.failed(round);
      if (pauseMs !== undefined && ownBackoff === pushBackoff) pauseFor(pauseMs);
    }
    push();
  };

  const pauseFor = (pauseMs: number) => {
    clearTimeout(pause);
    pause = setTimeout(resume, pauseMs);
  };

  const resume = () => {
    clearTimeout(pause);
    pause = undefined;
    push();
  };

  return {
    get subscription() {
      return subscription;
    },
    get redelivers() {
      return redelivers;
    },
    pausedUntil,
    inFlight: () => [...inFlight.keys()],
    push,
    resume,
    setWebhook: (webhook) => {
      subscription = createSubscription(webhook);
      pushBackoff = createPushBackoff(backoff);
    },
    setRedelivers: (value) => {
      redelivers = value;
    },
    close: async () => {
      closing.abort();
      clearTimeout(pause);
      await Promise.all(inFlight.values());
      attempts.close();
    },
  };
};
