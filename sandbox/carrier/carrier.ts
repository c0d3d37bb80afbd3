import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClock } from '../clock.ts';
import type { Faults } from '../faults/faults.ts';
import type { CarrierMessage } from './carrier-message.ts';
import { createPoster } from './post.ts';
import { type CarrierBackoff, createPushBackoff } from './push-backoff.ts';
import { pushRequest } from './push-request.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { WebhookSettings } from './webhook-settings.ts';

/** Contract, "Limits": webhook message retention, 7 days. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** What acknowledges an event; anything else is redelivered. Source: https://cloud.google.com/pubsub/docs/push */
const ACKNOWLEDGING: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

const CONCURRENT_PUSHES = 10;

export type DeliveryAttempt = {
  message: CarrierMessage;
  /** From 1. */
  attempt: number;
  at: Date;
  /** The answer's HTTP status; null when none came. */
  status: number | null;
  /** Why no answer came. */
  error?: string;
};

/**
 * Brings each event to the webhook at least once, several at a time and in no promised order. Waiting is in real time;
 * retention is on the service's clock.
 */
export type Carrier = {
  /** Takes an event; the result is the carrier's id of it. Without a webhook it waits. */
  publish(body: Uint8Array): string;
  /** A new subscription: what waits goes there, at once. */
  setWebhook(webhook: WebhookSettings): void;
  /** Every attempt that has ended, in that order. */
  attempts(): readonly DeliveryAttempt[];
  /** Events that are neither acknowledged nor past their retention. */
  pending(): number;
  /** Ends pushes and waits; what was not acknowledged is dropped. */
  close(): Promise<void>;
};

export type CarrierOptions = {
  clock: SandboxClock;
  keys: SigningKeys;
  backoff: CarrierBackoff;
  answerTimeoutMs: number;
  /** What may go wrong with a delivery. @default nothing */
  faults?: Faults;
  webhook?: WebhookSettings;
  /** Told of each event that is taken, and of each attempt once it has ended. */
  onPublish?: (message: CarrierMessage) => void;
  onAttempt?: (attempt: DeliveryAttempt) => void;
};

export const createCarrier = ({
  clock,
  keys,
  backoff,
  answerTimeoutMs,
  faults,
  ...options
}: CarrierOptions): Carrier => {
  const poster = createPoster();
  const closing = new AbortController();
  const attempts: DeliveryAttempt[] = [];
  // A set keeps the order of arrival, and an event that failed goes to its end.
  const waiting = new Set<CarrierMessage>();
  const inFlight = new Map<CarrierMessage, Promise<void>>();
  let nextMessageId = randomInt(10 ** 12, 10 ** 14);
  let webhook = options.webhook;
  let pushBackoff = createPushBackoff(backoff);
  let pause: NodeJS.Timeout | undefined;

  const isRetained = (message: CarrierMessage) => clock.now().getTime() - message.publishedAt.getTime() < RETENTION_MS;

  const pump = () => {
    if (closing.signal.aborted || pause !== undefined || webhook === undefined) return;
    for (const message of waiting) {
      if (inFlight.size >= CONCURRENT_PUSHES) return;
      waiting.delete(message);
      if (isRetained(message)) inFlight.set(message, push(message, webhook));
    }
  };

  const push = async (message: CarrierMessage, to: WebhookSettings): Promise<void> => {
    const ownBackoff = pushBackoff;
    const round = ownBackoff.round();
    const attempt = await tryOnce(message, to);
    inFlight.delete(message);
    if (closing.signal.aborted) return;
    attempts.push(attempt);
    options.onAttempt?.(attempt);
    if (attempt.status !== null && ACKNOWLEDGING.has(attempt.status)) ownBackoff.acknowledged();
    else {
      waiting.add(message);
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
    if (fault?.double) attempts.push(await postOnce(message, to));
    const attempt = await postOnce(message, to);
    turn?.done();
    return attempt;
  };

  const postOnce = async (message: CarrierMessage, to: WebhookSettings): Promise<DeliveryAttempt> => {
    message.attempts += 1;
    const at = clock.now();
    const attempt = { message, attempt: message.attempts, at };
    try {
      const request = await pushRequest(message, to, keys, at);
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

  return {
    publish: (body) => {
      const messageId = String(nextMessageId++);
      const message: CarrierMessage = { messageId, publishedAt: clock.now(), body, attempts: 0 };
      waiting.add(message);
      options.onPublish?.(message);
      pump();
      return messageId;
    },
    setWebhook: (settings) => {
      webhook = settings;
      pushBackoff = createPushBackoff(backoff);
      resume();
    },
    attempts: () => attempts,
    pending: () => [...waiting, ...inFlight.keys()].filter(isRetained).length,
    close: async () => {
      closing.abort();
      clearTimeout(pause);
      await Promise.all(inFlight.values());
      poster.close();
    },
  };
};

const noAnswer = (error: unknown, answerTimeoutMs: number): string => {
  if (!(error instanceof Error)) return String(error);
  const isTimeout = error.cause instanceof Error && error.cause.name === 'TimeoutError';
  return isTimeout ? `No answer within ${answerTimeoutMs} ms.` : error.message;
};
