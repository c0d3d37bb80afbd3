import type { WindowPer } from '../domain/contact.ts';
import { summarizeError } from '../domain/describe-error.ts';
import type { Ms } from '../domain/duration.ts';
import { ItemBusyError, WriteRefusedError } from '../domain/errors.ts';
import { isOfNobody } from '../domain/handovers/operator-echo.ts';
import type { Instant } from '../domain/instant.ts';
import { type ParsedEvent, parseEvents } from '../domain/parse-events.ts';
import { traceFieldOf, traceIdOf } from '../domain/trace-context.ts';
import type { WebhookEvent } from '../domain/webhook-event.ts';
import { openEnvelope, type VerifiedRequest } from '../domain/webhook-request.ts';
import type { WriteResult } from '../ports.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import { createSeen } from '../runtime/customer-writes.ts';
import { type EventRepositories, type Meanings, type Written, writesOf } from '../runtime/event-writes.ts';
import { withinBudget } from '../runtime/time-budget.ts';
import { inOrderOfTurns } from './turns/in-order-of-turns.ts';
import { startWatchWrite } from './watch/start-watch-write.ts';
import type { WatchArrivals } from './watch/watch-arrivals.ts';

/** The result of storing one event of a verified request. */
export type StoreResult = {
  readonly deliveryId?: string;
  /** The trace of the item that the event was stored in, or else of the event. Unknown for an unreadable event. */
  readonly traceId?: string;
} & (
  | {
      readonly kind: 'stored';
      readonly event: WebhookEvent['kind'];
      readonly id: string;
      /** Windows are per business number and the message does not name one, so it opened no window. */
      readonly withoutChannel?: true;
      /** The message's time cannot be read, so it opened no window. */
      readonly withoutTime?: true;
      /** The event does not say who wrote the message, so it is stored as an echo. */
      readonly withoutSender?: true;
      /** What the chat service calls an event that Parley does not know. */
      readonly unknown?: string;
      /** Events of this name are new to the stage. */
      readonly hasNewName?: true;
    }
  /**
   * The event is not readable, or the table can never accept it. `body`: only the event, if the request has others.
   */
  | { readonly kind: 'unstorable'; readonly reason: string; readonly body?: string }
  /** Retry the whole request. */
  | { readonly kind: 'unavailable'; readonly reason: string }
);

/**
 * Stores the events of a request, and returns the result of each.
 *
 * @param budgetMs the time budget for all of them. @default that of a webhook request
 */
export type StoreEvents = (request: VerifiedRequest, budgetMs?: number) => Promise<readonly StoreResult[]>;

/** Something to do after an event's writes. The event counts as stored only if it succeeds. */
export interface FollowUp {
  readonly act: (abortSignal: AbortSignal) => Promise<void>;
  /** What has failed if it fails, such as `The confirmation could not be queued`. */
  readonly failure: string;
}

export type FollowUpOf = (event: WebhookEvent) => FollowUp | undefined;

export interface StoreEventsOptions extends Meanings {
  /** Opens the repositories for one write, which may take several calls: none starts or continues after the abort. */
  readonly repositories: (abortSignal: AbortSignal) => EventRepositories;
  /** The time budget for writes to the table, including the SDK's retries, and for what follows them. */
  readonly budgetMs: Ms;
  /** The platform of events that do not name one. */
  readonly chatPlatform: string;
  readonly windowPer: WindowPer;
  /** The stage's own business number. */
  readonly chatChannelNumber: string;
  /** What is left to do once an event is written, if anything. */
  readonly followUpOf: FollowUpOf | undefined;
  /** What is written besides an event. Undefined if the stage does not watch what arrives. */
  readonly watch: WatchArrivals | undefined;
}

/** How long to skip the table after it did not respond: short compared to an outage, long for a waiting webhook. */
const COOLDOWN_MS = 1_000;

/** How many events of a post are written at once. */
const MAX_CONCURRENT_EVENTS = 10;

/** The result of the writes of an event, with the trace of the item that it was stored in. */
type EventWrite =
  | Exclude<WriteResult, { kind: 'written' | 'unavailable' }>
  /** `isBusy`: the table answered, or had little time to, so other events can be stored. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly isBusy?: true }
  | ({ readonly kind: 'written' } & Written);

const COOLING_DOWN: EventWrite = { kind: 'unavailable', reason: 'The table was unavailable a moment ago.' };
const NO_TIME: EventWrite = { kind: 'unavailable', reason: 'The post has too many events to store in time.' };

/** Returns the result of an event, given that of its writes. One that is alone in its post needs no body of its own. */
const resultOf = (
  written: EventWrite,
  event: WebhookEvent,
  { isAlone, options }: { readonly isAlone: boolean; readonly options: StoreEventsOptions },
): StoreResult => {
  const traceId = traceIdOf((written.kind === 'written' && written.traceparent) || event.traceparent);
  switch (written.kind) {
    case 'written': {
      const { hasNewName } = written;
      return {
        kind: 'stored',
        event: event.kind,
        id: event.id,
        ...remarksOn(event, options),
        ...(hasNewName && { hasNewName }),
        traceId,
      };
    }
    case 'refused':
      return { kind: 'unstorable', reason: written.reason, ...(!isAlone && { body: event.body }), traceId };
    case 'unavailable':
      return { kind: 'unavailable', reason: written.reason, traceId };
  }
};

/**
 * Creates the function that parses a verified request and writes its events. It reads nothing, and all of its writes are
 * idempotent:
 *
 * - a message: two concurrent writes, or three in a row if it is a keyword; with turns, one of them is a transaction; and
 *   up to four more if it is the first that names its address with a customer, and two more if it is an edit;
 * - an echo: one write, or two if an operator wrote it;
 * - a status: one write, and up to three more if it names its send, or the transaction of a send that is not known yet;
 *   if it carries a message, also the writes of the message; and one to five more if it names a customer that this process
 *   has not seen with the address;
 * - an echo that names its transaction: one more, and up to three if that is known.
 *
 * Follow-ups start after these writes, because what they cause depends on what is stored.
 *
 * For a second after the table did not respond, no writes are attempted. During an outage, one request per second waits
 * for the table, and all others go straight to the inbound queue.
 */
export const createStoreEvents = (options: StoreEventsOptions): StoreEvents => {
  const { repositories, clock, chatPlatform, windowPer, chatChannelNumber: stageNumber } = options;
  let coolUntilMs = Number.NEGATIVE_INFINITY;
  const seen = createSeen();

  const write = async (event: WebhookEvent, receivedAt: Instant, postEndMs: number): Promise<EventWrite> => {
    const startedMs = Date.parse(clock.now());
    if (startedMs < coolUntilMs) return COOLING_DOWN;
    const endMs = Math.min(postEndMs, startedMs + options.budgetMs);
    const budgetMs = endMs - startedMs;
    if (budgetMs <= 0) return NO_TIME;
    // Together with the writes, so that it takes no time of its own. Its failure does not matter.
    const watchWrite = options.watch?.(event, receivedAt);
    const watching = watchWrite && startWatchWrite(watchWrite, budgetMs / 2);
    const results = await Promise.all(
      writesOf(event, options, seen).map((write) =>
        attempt(budgetMs, (abortSignal) => write(repositories(abortSignal))),
      ),
    );
    await watching?.end();
    // A write that may still succeed counts before one that never will: the retry does both.
    const failure =
      results.find(({ kind }) => kind === 'unavailable') ?? results.find(({ kind }) => kind === 'refused');
    if (failure?.kind === 'unavailable' && !('isBusy' in failure)) {
      // An event late in a long post has little time, which says nothing about the table.
      if (budgetMs < options.budgetMs / 2) return { ...failure, isBusy: true };
      coolUntilMs = Date.parse(clock.now()) + COOLDOWN_MS;
      return { kind: 'unavailable', reason: `The table is unavailable: ${failure.reason}` };
    }
    if (failure !== undefined) return failure;
    const stored = results.flatMap((result) => (result.kind === 'written' ? [result] : []));
    const traceparent = stored.map((result) => result.traceparent).find((trace) => trace !== undefined);
    const hasNewName = stored.some((result) => result.hasNewName === true);
    const failed = await followUp(event, endMs);
    return (
      failed ?? { kind: 'written', traceparent: traceparent ?? event.traceparent, ...(hasNewName && { hasNewName }) }
    );
  };

  /**
   * Uses the rest of the writes' time budget, so that the event can still be deferred before the webhook's deadline.
   * Returns undefined if there is nothing left to do, or it is done.
   */
  const followUp = async (event: WebhookEvent, endMs: number): Promise<EventWrite | undefined> => {
    const left = options.followUpOf?.(event);
    if (left === undefined) return undefined;
    const leftMs = Math.max(0, endMs - Date.parse(clock.now()));
    const done = await attempt(leftMs, async (abortSignal) => void (await left.act(abortSignal)));
    return done.kind === 'written' ? undefined : { ...done, reason: `${left.failure}: ${done.reason}` };
  };

  const store = async (
    parsed: ParsedEvent,
    isAlone: boolean,
    { receivedAt, endMs }: { readonly receivedAt: Instant; readonly endMs: number },
  ): Promise<StoreResult> => {
    if (parsed.kind === 'unreadable') {
      return { kind: 'unstorable', reason: parsed.reason, ...(!isAlone && { body: parsed.body }) };
    }
    const { event } = parsed;
    const written = await write(event, receivedAt, endMs);
    return resultOf(written, event, { isAlone, options });
  };

  return async (request, budgetMs = options.budgetMs) => {
    const envelope = openEnvelope(request);
    const { deliveryId } = envelope;
    const { chatChannelNumber, receivedAt, traceparent } = request;
    if (envelope.kind === 'unreadable') {
      return [{ kind: 'unstorable', reason: envelope.reason, deliveryId, ...traceFieldOf(traceparent) }];
    }
    const times = { publishedAt: envelope.publishedAt, receivedAt };
    const namesChannels = options.watch !== undefined;
    const context = { times, chatPlatform, windowPer, stageNumber, chatChannelNumber, namesChannels, traceparent };
    const events = parseEvents(envelope.eventBody, context);
    const endMs = Date.parse(clock.now()) + budgetMs;
    const groups = options.turns ? inOrderOfTurns(events) : events.map((event) => [event]);
    const results = new Map<ParsedEvent, StoreResult>();
    await forEachConcurrently(MAX_CONCURRENT_EVENTS, groups, async (group) => {
      for (const event of group) results.set(event, await store(event, events.length === 1, { receivedAt, endMs }));
    });
    return events.flatMap((event) => {
      const result = results.get(event);
      return result === undefined ? [] : [{ ...traceFieldOf(traceparent), ...result, deliveryId }];
    });
  };
};

const windowRemark = ({ time }: WebhookEvent) =>
  time.isUnreadable ? { withoutTime: true as const } : { withoutChannel: true as const };

const remarksOn = (event: WebhookEvent, { operatorEchoes }: Pick<StoreEventsOptions, 'operatorEchoes'>) => ({
  ...(event.kind === 'message' && !event.opensWindow && windowRemark(event)),
  ...(event.kind === 'echo' && isOfNobody(event, operatorEchoes) && { withoutSender: true as const }),
  ...(event.kind === 'unknown' && { unknown: event.name }),
});

const attempt = async (
  budgetMs: number,
  write: (abortSignal: AbortSignal) => Promise<Written | undefined>,
): Promise<EventWrite> => {
  try {
    return { kind: 'written', ...(await withinBudget(budgetMs, write)) };
  } catch (error) {
    if (error instanceof WriteRefusedError) return { kind: 'refused', reason: error.message };
    const reason = summarizeError(error);
    return { kind: 'unavailable', reason, ...(error instanceof ItemBusyError && { isBusy: true }) };
  }
};
