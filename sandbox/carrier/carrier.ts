import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClock } from '../clock.ts';
import type { Faults } from '../faults/faults.ts';
import { createAttemptLog, noAnswer } from './attempt-log.ts';
import { type CarrierMessage, type DeliveryAttempt, shownBody } from './carrier-message.ts';
import { createPoster } from './post.ts';
import { type CarrierBackoff, createPushBackoff } from './push-backoff.ts';
import { pushRequest } from './push-request.ts';
import { createRetention, type RetentionOptions } from './retention.ts';
import type { SigningKeys } from './signing-keys.ts';
import { createSubscription } from './subscription.ts';
import type { WebhookSettings } from './webhook-settings.ts';

/** What acknowledges an event; anything else is redelivered. Source: https://cloud.google.com/pubsub/docs/push */
const ACKNOWLEDGING: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

const CONCURRENT_PUSHES = 10;

/**
 * Brings each event to the webhook at least once, several at a time and in no promised order. Waiting is in real time;
 * retention is on the service's clock.
 */
export type Carrier = {
  /** Takes an event; the result is the carrier's id of it. Without a webhook it waits. */
  publish(body: Uint8Array): string;
  /** A new subscription: what waits goes there, at once. */
  setWebhook(webhook: WebhookSettings): void;
  /** The latest attempts that have ended, in that order. */
  attempts(): readonly DeliveryAttempt[];
  /** Events that are neither acknowledged nor past their retention. */
  pending(): number;
  /** Events that were dropped before they arrived. */
  expired(): readonly CarrierMessage[];
  /** Events that arrived and can be replayed. */
  retained(): number;
  /** Delivers again what arrived and is retained, since `from` or with these ids; the result is how many. */
  replay(which: { from?: Date; messageIds?: readonly string[] }): number;
  /** Confirms an SNS subscription; false when the token is not its own. */
  confirm(token: string): boolean;
  /** To be called after the clock was moved: what is too old is dropped, and what paused goes on. */
  clockMoved(): void;
  /** Ends pushes and waits; what was not acknowledged is dropped, or kept by a data file. */
  close(): Promise<void>;
};

export type CarrierOptions = {
  clock: SandboxClock;
  keys: SigningKeys;
  backoff: CarrierBackoff;
  answerTimeoutMs: number;
  /** What may go wrong with a delivery. @default nothing */
  faults?: Faults;
  /** The sandbox's own address, for what a webhook fetches from the carrier. */
  origin: () => string;
  webhook?: WebhookSettings;
  /** What a carrier before this one kept. */
  kept?: { messages: readonly CarrierMessage[]; attempts: readonly DeliveryAttempt[] };
} & CarrierListeners;

/** Told of each event that is taken, and of each attempt once it has ended, and of what is kept. */
export type CarrierListeners = Omit<RetentionOptions, 'now'> & {
  onPublish?: (message: CarrierMessage) => void;
  onAttempt?: (attempt: DeliveryAttempt) => void;
};

export const createCarrier = ({
  clock,
  keys,
  backoff,
  answerTimeoutMs,
  faults,
  origin,
  kept,
  ...options
}: CarrierOptions): Carrier => {
  const poster = createPoster();
  const closing = new AbortController();
  const attempts = createAttemptLog(kept?.attempts);
  const retention = createRetention({ now: () => clock.now(), ...options });
  const inFlight = new Map<CarrierMessage, Promise<void>>();
  let nextMessageId = randomInt(10 ** 12, 10 ** 14);
  let subscription = createSubscription(options.webhook);
  let pushBackoff = createPushBackoff(backoff);
  let pause: NodeJS.Timeout | undefined;

  const newMessage = (body: Uint8Array, confirmationToken?: string): CarrierMessage => ({
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
    for (const message of retention.waiting) {
      if (inFlight.size >= CONCURRENT_PUSHES) return;
      if (subscription.takes(message) && retention.take(message)) inFlight.set(message, push(message, webhook));
    }
  };

  const remember = (attempt: DeliveryAttempt) => {
    attempts.add(attempt);
    options.onAttempt?.(attempt);
  };

  const push = async (message: CarrierMessage, to: WebhookSettings): Promise<void> => {
    const ownBackoff = pushBackoff;
    const round = ownBackoff.round();
    const attempt = await tryOnce(message, to);
    inFlight.delete(message);
    if (closing.signal.aborted) return;
    remember(attempt);
    if (attempt.status !== null && ACKNOWLEDGING.has(attempt.status)) {
      ownBackoff.acknowledged();
      if (message.confirmationToken === undefined) retention.acknowledge(message);
      else retention.discard(message);
    } else {
      retention.wait(message);
      const pauseMs = ownBackoff.failed(round);
      if (pauseMs !== undefined && ownBackoff === pushBackoff) pauseFor(pauseMs);
    }
    pump();
  };

  /** Every delivery passes here, so this is where deliveries are made to misbehave. */
  const tryOnce = async (message: CarrierMessage, to: WebhookSettings): Promise<DeliveryAttempt> => {
    const fault = faults?.takeForDelivery();
    if (fault?.holdMs !== undefined) await sleep(fault.holdMs, undefined, { signal: closing.signal }).catch(() => {});
    const turn = await fault?.reversal?.turn();
    if (fault?.double) remember(await postOnce(message, to));
    const attempt = await postOnce(message, to);
    turn?.done();
    return attempt;
  };

  const postOnce = async (message: CarrierMessage, to: WebhookSettings): Promise<DeliveryAttempt> => {
    message.attempts += 1;
    const at = clock.now();
    const attempt = { messageId: message.messageId, shownBody: shownBody(message), attempt: message.attempts, at };
    try {
      const request = await pushRequest(message, to, { keys, now: at, origin: origin() });
      const status = await poster.post(
        request,
        AbortSignal.any([closing.signal, AbortSignal.timeout(answerTimeoutMs)]),
      );
      return { ...attempt, status };
    } catch (error) {
      return { ...attempt, status: null, error: noAnswer(error, answerTimeoutMs) };
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

  const askToConfirm = () => {
    for (const message of retention.waiting) if (message.confirmationToken !== undefined) retention.discard(message);
    const request = subscription.confirmationRequest();
    if (request !== undefined) retention.wait(newMessage(Buffer.from(request.text), request.token));
  };

  for (const message of kept?.messages ?? []) {
    nextMessageId = Math.max(nextMessageId, Number(message.messageId) + 1);
    retention.restore(message);
  }
  askToConfirm();
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
      askToConfirm();
      resume();
    },
    attempts: attempts.latest,
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
      poster.close();
    },
  };
};
