import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ACCOUNT } from '../../support/builders.ts';
import { parseObject } from '../world/parse-object.ts';
import { postOf, type WireEvent } from '../world/translate-event.ts';
import type { InvocationEnd } from './function-pool.ts';
import type { Features } from './history.ts';
import type { LossCause } from './ledger.ts';
import type { StageContext } from './stage-context.ts';

/** An event that the chat service reports. */
export interface ReportedEvent {
  /** Unique, and the same in every run of the history. */
  readonly eventId: string;
  readonly body: string;
  /** What happened, in the contract's own format. @default the body */
  readonly source?: WireEvent;
  /** Whether someone other than the chat service posts it. */
  readonly isUnauthenticated?: boolean;
}

/** The publish/subscribe system that delivers the chat service's events to the webhook. */
export interface Delivery {
  publish(event: ReportedEvent): void;
}

export interface DeliveryOptions {
  readonly context: StageContext;
  readonly token: string;
  readonly post: (event: APIGatewayProxyEventV2, about: string) => Promise<InvocationEnd<number>>;
}

/** The header of the token that authenticates webhook requests. */
export const TOKEN_HEADER = 'x-webhook-token';

/** Sources: the field notes on services with this contract. */
const ACKNOWLEDGING = [102, 200, 201, 202, 204];
/** Parley's own promise, which is stricter than the limits of services. */
const DEADLINE_MS = 2_000;
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * A service that posts each event once stops for a while after many failures: more than a hundred, but histories have
 * fewer events. Source: the documentation of today's services.
 */
const MAX_FAILURES = 10;
const FAILURES_WITHIN_MS = 10 * 60 * 1000;
const PAUSE_MS = 10 * 60 * 1000;

const MAX_DELIVERY_MS = 500;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10 * 60 * 1000;
const MAX_DUPLICATE_MS = 60_000;
const MAX_DUPLICATES = 3;
const MAX_BATCH = 4;
/** How long an event waits for others, at most. */
const MAX_HELD_MS = 20_000;

/**
 * Creates the delivery, which is at least once, in any order, and retried with backoff for seven days, unless the service
 * posts each event once.
 */
export const createDelivery = ({ context, token, post }: DeliveryOptions): Delivery => {
  const { clock, draw, features, after, record } = context;
  const { duplicateRate, lateRate, maxLateMs, lostAnswerRate, batchRate = 0 } = features.delivery;
  /** The events that wait for the next one. */
  let held: readonly ReportedEvent[] = [];
  const { isOnce = false } = features.delivery;
  const pause = createPause();

  const publish = (event: ReportedEvent): void => {
    const isAlone = batchRate === 0 || event.isUnauthenticated === true || parseObject(event.body) === undefined;
    if (isAlone) {
      postTogether([event]);
      return;
    }
    held = [...held, event];
    const waits = draw.fraction(draw.identify(`batch of ${event.eventId}`), 0) < batchRate;
    if (!waits || held.length >= MAX_BATCH) flush();
    else after(MAX_HELD_MS, `post ${event.eventId}`, () => held.includes(event) && flush());
  };
  const flush = (): void => {
    const events = held;
    held = [];
    postTogether(events);
  };

  const postTogether = (events: readonly ReportedEvent[]): void => {
    const [{ eventId, isUnauthenticated = false } = { eventId: '' }] = events;
    const others = events.length - 1;
    // The id of a post with several users' events must name none of them: it stays with each event.
    const deliveryId = others > 0 ? `post-${draw.identify(eventId)}` : eventId;
    const publishedAt = clock.ms;
    for (const { isUnauthenticated: isInvalid = false, ...event } of events) {
      record({ kind: 'event', ...event, ...(others > 0 && { others }), isUnauthenticated: isInvalid });
    }
    const request = requestOf(
      { eventId: deliveryId, body: postOf(events.map(({ body }) => body)) },
      {
        publishedAt,
        token: isUnauthenticated ? 'a token that somebody guessed' : token,
        ...features,
      },
    );
    let attempts = 0;
    let duplicates = 0;

    const attemptIn = (ms: number): void => {
      if (clock.ms + ms <= publishedAt + RETENTION_MS) after(ms, `deliver ${eventId} ${attempts + 1}`, attempt);
    };
    const lose = (why: LossCause): void => {
      for (const { eventId: lost } of events) record({ kind: 'event-lost', eventId: lost, why });
    };
    const attempt = (): void => {
      if (isOnce && !isUnauthenticated && pause.includes(clock.ms)) {
        lose('paused');
        return;
      }
      attempts += 1;
      const about = `${eventId} ${attempts}`;
      const identity = draw.identify(`delivery ${about}`);
      for (const each of events) record({ kind: 'delivery', eventId: each.eventId, attempt: attempts });
      let isOver = false;
      const finish = (status: number, isLost: boolean, why: LossCause = 'unavailable'): void => {
        if (isOver) return;
        isOver = true;
        context.agenda.cancel(timeout);
        for (const each of events) {
          record({ kind: 'delivery-answer', eventId: each.eventId, status, isHeard: !isLost });
        }
        if (isUnauthenticated) return;
        if (!isLost && ACKNOWLEDGING.includes(status)) {
          const isRepeated =
            !context.isCalm && duplicates < MAX_DUPLICATES && draw.fraction(identity, 1) < duplicateRate;
          if (!isRepeated) return;
          duplicates += 1;
          attemptIn(1 + Math.floor(draw.fraction(identity, 2) ** 2 * Math.max(MAX_DUPLICATE_MS, maxLateMs)));
          return;
        }
        if (isOnce) {
          pause.countFailure(clock.ms);
          if (!ACKNOWLEDGING.includes(status)) lose(why);
          return;
        }
        const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1));
        attemptIn(Math.ceil(backoff * (0.5 + draw.fraction(identity, 3))));
      };
      // If there is no response in time, the event is delivered again, even if this attempt succeeds later.
      const timeout = after(DEADLINE_MS, `timeout of ${about}`, () => finish(504, true, 'timed out'));
      post(request, about).then((end) => {
        const isLost = !context.isCalm && draw.fraction(identity, 4) < lostAnswerRate;
        finish(statusOf(end), isLost, end.how === 'answered' ? 'unavailable' : 'failed');
      });
    };
    const isLate = draw.fraction(draw.identify(`lateness of ${eventId}`), 0) < lateRate;
    const lateMs = isLate ? context.delayMs(`how late ${eventId} is`, maxLateMs) : 0;
    attemptIn(context.delayMs(`first delivery of ${eventId}`, MAX_DELIVERY_MS) + lateMs);
  };
  return { publish };
};

/** Counts failures, and tells when a service posts nothing because there were too many. */
const createPause = () => {
  let failures: readonly number[] = [];
  let untilMs = 0;
  return {
    countFailure(atMs: number): void {
      failures = [...failures.filter((one) => one > atMs - FAILURES_WITHIN_MS), atMs];
      if (failures.length <= MAX_FAILURES) return;
      failures = [];
      untilMs = atMs + PAUSE_MS;
    },
    includes: (atMs: number): boolean => atMs < untilMs,
  };
};

/** The response of API Gateway. */
const statusOf = (end: InvocationEnd<number>): number => {
  if (end.how === 'answered') return end.result;
  return end.how === 'timed-out' ? 503 : 500;
};

const requestOf = (
  { eventId, body }: ReportedEvent,
  { publishedAt, token, windowPer, delivery: { envelope } }: Features & { publishedAt: number; token: string },
): APIGatewayProxyEventV2 => {
  const message = {
    data: Buffer.from(body).toString('base64'),
    attributes: {},
    messageId: eventId,
    ...(envelope !== 'without-publish-time' && { publishTime: new Date(publishedAt).toISOString() }),
  };
  const request: Partial<APIGatewayProxyEventV2> = {
    headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
    body: envelope === 'none' ? body : JSON.stringify({ message, subscription: 'projects/chat/subscriptions/parley' }),
    isBase64Encoded: false,
    ...(windowPer === 'channel' && { pathParameters: { chatChannelNumber: ACCOUNT.channel } }),
  };
  // The handler uses no other fields of the request.
  return request as APIGatewayProxyEventV2;
};
