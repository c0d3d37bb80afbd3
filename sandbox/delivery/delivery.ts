import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClock } from '../clock.ts';
import { createAttemptLog } from './attempt-log.ts';
import { createPostingPause } from './posting-pause.ts';
import { type DeliveryAttempt, type PublishedMessage, shownBody } from './published-message.ts';
import { createPushBackoff, type DeliveryBackoff } from './push-backoff.ts';
import { createRetention, type RetentionOptions } from './retention.ts';
import type { SigningKeys } from './signing-keys.ts';
import { createSubscription, type WebhookSettings } from './subscription.ts';
import { createWebhookClient } from './webhook-client.ts';
import { buildWebhookRequest } from './webhook-request.ts';

/** The statuses that acknowledge an event. Source: https://cloud.google.com/pubsub/docs/push */
const ACKNOWLEDGING: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

const CONCURRENT_PUSHES = 10;

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
  redelivers: boolean;
  pausedUntil?: Date;
}

/** The faults of deliveries; `reversal` reverses the order of several. */
export interface DeliveryFaults {
  takeForDelivery():
    | { double?: boolean; holdMs?: number; reversal?: { turn(): Promise<{ done(): void }> } }
    | undefined;
}

export type DeliveryOptions = {
  clock: SandboxClock;
  keys: SigningKeys;
  backoff: DeliveryBackoff;
  /** How long to wait for the webhook's answer. */
  timeoutMs: number;
  /** @default no faults */
  faults?: DeliveryFaults;
  /** Returns the sandbox's own address, from which a webhook fetches certificates and confirmations. */
  origin: () => string;
  webhook?: WebhookSettings;
  /** The messages and attempts of an earlier run. */
  restored?: { messages: readonly PublishedMessage[]; attempts: readonly DeliveryAttempt[] };
} & DeliveryListeners;

/** Called for each published event, each completed attempt, and each change of what is retained. */
export type DeliveryListeners = Omit<RetentionOptions, 'now'> & {
  onPublish?: (message: PublishedMessage) => void;
  onAttempt?: (attempt: DeliveryAttempt) => void;
};

export const createDelivery = ({
  clock,
  keys,
  backoff,
  timeoutMs,
  faults,
  origin,
  restored,
  ...options
}: DeliveryOptions): Delivery => {
  const client = createWebhookClient();
  const closing = new AbortController();
  const attempts = createAttemptLog(restored?.attempts);
  const retention = createRetention({ now: () => clock.now(), ...options });
  const inFlight = new Map<PublishedMessage, Promise<void>>();
  let nextMessageId = randomInt(10 ** 12, 10 ** 14);
  let subscription = createSubscription(options.webhook);
  let pushBackoff = createPushBackoff(backoff);
  let pause: NodeJS.Timeout | undefined;
  let redelivers = true;
  const postingPause = createPostingPause();

  const newMessage = (body: Uint8Array, confirmationToken?: string): PublishedMessage => ({
    messageId: String(nextMessageId++),
    publishedAt: clock.now(),
    body,
    confirmationToken,
    attempts: 0,
    state: 'waiting',
  });

  const pump = () => {
    const { webhook } = subscription;
    if (closing.signal.aborted || pause !== undefined || webhook === undefined) return;
    if (!redelivers && postingPause.until(clock.now()) !== undefined) {
      for (const message of retention.waiting) retention.drop(message);
      return;
    }
    for (const message of retention.waiting) {
      if (inFlight.size >= CONCURRENT_PUSHES) return;
      if (subscription.takes(message) && retention.take(message)) inFlight.set(message, push(message, webhook));
    }
  };

  const record = (attempt: DeliveryAttempt) => {
    attempts.add(attempt);
    options.onAttempt?.(attempt);
  };

  const push = async (message: PublishedMessage, webhook: WebhookSettings): Promise<void> => {
    const ownBackoff = pushBackoff;
    const round = ownBackoff.round();
    const attempt = await attemptWithFaults(message, webhook);
    inFlight.delete(message);
    if (closing.signal.aborted) return;
    record(attempt);
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
    pump();
  };

  const attemptWithFaults = async (message: PublishedMessage, webhook: WebhookSettings): Promise<DeliveryAttempt> => {
    const fault = faults?.takeForDelivery();
    if (fault?.holdMs !== undefined) await sleep(fault.holdMs, undefined, { signal: closing.signal }).catch(() => {});
    const turn = await fault?.reversal?.turn();
    if (fault?.double) record(await attemptOnce(message, webhook));
    const attempt = await attemptOnce(message, webhook);
    turn?.done();
    return attempt;
  };

  const attemptOnce = async (message: PublishedMessage, webhook: WebhookSettings): Promise<DeliveryAttempt> => {
    message.attempts += 1;
    const at = clock.now();
    const attempt = { messageId: message.messageId, shownBody: shownBody(message), attempt: message.attempts, at };
    try {
      const request = await buildWebhookRequest(message, webhook, { keys, now: at, origin: origin() });
      const status = await client.post(request, AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]));
      return { ...attempt, status };
    } catch (error) {
      return { ...attempt, status: null, error: describeFailure(error, timeoutMs) };
    }
  };

  const pauseFor = (pauseMs: number) => {
    clearTimeout(pause);
    pause = setTimeout(resume, pauseMs);
  };

  const resume = () => {
    clearTimeout(pause);
    pause = undefined;
    pump();
  };

  const requestConfirmation = () => {
    for (const message of retention.waiting) if (message.confirmationToken !== undefined) retention.discard(message);
    const request = subscription.confirmationRequest();
    if (request !== undefined) retention.wait(newMessage(Buffer.from(request.text), request.token));
  };

  for (const message of restored?.messages ?? []) {
    nextMessageId = Math.max(nextMessageId, Number(message.messageId) + 1);
    retention.restore(message);
  }
  requestConfirmation();
  pump();
  return {
    publish: (body) => {
      const message = newMessage(body);
      options.onPublish?.(message);
      retention.wait(message);
      pump();
      return message.messageId;
    },
    setWebhook: (webhook) => {
      subscription = createSubscription(webhook);
      pushBackoff = createPushBackoff(backoff);
      requestConfirmation();
      resume();
    },
    setRedelivers: (value) => {
      redelivers = value;
    },
    redelivery: () => {
      const pausedUntil = redelivers ? undefined : postingPause.until(clock.now());
      return { redelivers, ...(pausedUntil && { pausedUntil }) };
    },
    attempts: attempts.latest,
    attemptsOf: attempts.of,
    pending: () => {
      retention.sweep();
      return retention.waiting.size + [...inFlight.keys()].filter(retention.isRetained).length;
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
      pump();
      return chosen.length;
    },
    confirm: (token) => {
      const isConfirmed = subscription.confirm(token);
      if (isConfirmed) pump();
      return isConfirmed;
    },
    clockMoved: () => {
      retention.sweep();
      resume();
    },
    close: async () => {
      closing.abort();
      clearTimeout(pause);
      await Promise.all(inFlight.values());
      client.close();
    },
  };
};

const describeFailure = (error: unknown, timeoutMs: number): string => {
  if (!(error instanceof Error)) return String(error);
  const isTimeout = error.cause instanceof Error && error.cause.name === 'TimeoutError';
  return isTimeout ? `No answer within ${timeoutMs} ms.` : error.message;
};
