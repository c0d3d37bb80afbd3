import type { Consent } from '../domain/consent.ts';
import type { WindowPer } from '../domain/contact.ts';
import { summarizeError } from '../domain/describe-error.ts';
import { ItemBusyError, WriteRefusedError } from '../domain/errors.ts';
import { addMs, type Instant } from '../domain/instant.ts';
import { consentIn, type Keywords } from '../domain/keywords.ts';
import { isFromOperator, type OperatorEchoes } from '../domain/operator-echo.ts';
import { optOutConfirmation } from '../domain/opt-out-confirmation.ts';
import { type Traceparent, traceFieldOf, traceIdOf } from '../domain/trace-context.ts';
import {
  type Echo,
  type InboundMessage,
  parseEvent,
  type StatusChange,
  type WebhookEvent,
} from '../domain/webhook-event.ts';
import { openEnvelope, type VerifiedRequest } from '../domain/webhook-request.ts';
import type { Clock, ContactRepository, MessageRepository, SendQueue, SendRepository, WriteResult } from '../ports.ts';
import { withinBudget } from '../runtime/time-budget.ts';

/** The result of storing a verified request's event. */
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
    }
  /** The event is not readable, or the table can never accept it. */
  | { readonly kind: 'unstorable'; readonly reason: string }
  /** Retry the whole request. */
  | { readonly kind: 'unavailable'; readonly reason: string }
);

export type StoreEvent = (request: VerifiedRequest) => Promise<StoreResult>;

/** Where events are stored. */
export interface EventRepositories {
  readonly contacts: Pick<ContactRepository, 'openWindow' | 'recordConsent' | 'recordOperatorMessage'>;
  readonly messages: Pick<MessageRepository, 'recordInbound' | 'recordEcho' | 'recordStatus' | 'recordOutbound'>;
  readonly sends: Pick<SendRepository, 'confirm'>;
}

export interface StoreEventOptions {
  /** Opens the repositories for one write, which may take several calls: none starts or goes on after the abort. */
  readonly repositories: (abortSignal: AbortSignal) => EventRepositories;
  readonly clock: Clock;
  /** The time budget for writes to the table, including the SDK's retries, and for queuing a confirmation. */
  readonly budgetMs: number;
  /** The platform of events that do not name one. */
  readonly chatPlatform: string;
  readonly windowPer: WindowPer;
  /** The keywords by which users opt out and in. @default none */
  readonly keywords?: Keywords | undefined;
  /** Opens the queue for the confirmation of an opt-out by keyword. @default opt-outs are not confirmed */
  readonly confirmations?: ((abortSignal: AbortSignal) => SendQueue) | undefined;
  /** How the echoes of operators' messages are recognized. @default not at all */
  readonly operatorEchoes?: OperatorEchoes | undefined;
  /** Whether messages are added to turns. @default false */
  readonly turns?: boolean | undefined;
}

/** How long to skip the table after it did not respond: short compared to an outage, long for a waiting webhook. */
const COOLDOWN_MS = 1_000;

/** The result of the writes of an event, with the trace of the item that it was stored in. */
type EventWrite =
  | Exclude<WriteResult, { kind: 'written' | 'unavailable' }>
  /** `isBusy`: the table answered, so other events can be stored. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly isBusy?: true }
  | { readonly kind: 'written'; readonly traceparent: Traceparent | undefined };

const COOLING_DOWN: EventWrite = { kind: 'unavailable', reason: 'The table was unavailable a moment ago.' };
/**
 * Creates the function that parses a verified request and writes its event. It reads nothing, and all of its writes are
 * idempotent:
 *
 * - a message: two concurrent writes, or three in a row if it is a keyword; with turns, one of them is a transaction;
 * - an echo: one write, or two if an operator wrote it;
 * - a status: one write, and up to two more with a request id; if it carries a message, also the writes of the message.
 *
 * It queues the confirmation of an opt-out after these writes, because `send` decides by what they stored.
 *
 * For a second after the table did not respond, no writes are attempted. During an outage, one request per second waits
 * for the table, and all others go straight to the inbound queue.
 */
export const createStoreEvent = (options: StoreEventOptions): StoreEvent => {
  const { repositories, clock, budgetMs, chatPlatform, windowPer } = options;
  let coolUntilMs = Number.NEGATIVE_INFINITY;

  const write = async (event: WebhookEvent): Promise<EventWrite> => {
    const startedMs = Date.parse(clock.now());
    if (startedMs < coolUntilMs) return COOLING_DOWN;
    const results = await Promise.all(
      writesOf(event, options).map((write) => attempt(budgetMs, (abortSignal) => write(repositories(abortSignal)))),
    );
    // A write that may still succeed counts before one that never will: the retry does both.
    const failure =
      results.find(({ kind }) => kind === 'unavailable') ?? results.find(({ kind }) => kind === 'refused');
    if (failure?.kind === 'unavailable' && !('isBusy' in failure)) {
      coolUntilMs = Date.parse(clock.now()) + COOLDOWN_MS;
      return { kind: 'unavailable', reason: `The table is unavailable: ${failure.reason}` };
    }
    if (failure !== undefined) return failure;
    const stored = results.flatMap((result) => ('traceparent' in result ? (result.traceparent ?? []) : []));
    return (await confirmOptOut(event, startedMs)) ?? { kind: 'written', traceparent: stored[0] ?? event.traceparent };
  };

  /**
   * Uses the rest of the writes' time budget, so that the event can still be deferred before the webhook's deadline.
   * Returns undefined if there is nothing to confirm, or it is queued.
   */
  const confirmOptOut = async (event: WebhookEvent, startedMs: number): Promise<EventWrite | undefined> => {
    const { confirmations } = options;
    if (confirmations === undefined || event.kind !== 'message') return undefined;
    const isOptOut = consentOf(event, options)?.kind === 'opt-out';
    const confirmation = isOptOut ? optOutConfirmation(event) : undefined;
    if (confirmation === undefined) return undefined;
    const elapsedMs = Math.max(0, Date.parse(clock.now()) - startedMs);
    const queued = await attempt(Math.max(0, budgetMs - elapsedMs), async (abortSignal) => {
      await confirmations(abortSignal).put(confirmation);
      return undefined;
    });
    if (queued.kind === 'written') return undefined;
    return { ...queued, reason: `The confirmation of the opt-out could not be queued: ${queued.reason}` };
  };

  return async (request) => {
    const envelope = openEnvelope(request);
    const { deliveryId } = envelope;
    const { chatChannelNumber, traceparent } = request;
    const common = { deliveryId, ...traceFieldOf(traceparent) };
    if (envelope.kind === 'unreadable') return { kind: 'unstorable', reason: envelope.reason, ...common };
    const times = { publishedAt: envelope.publishedAt, receivedAt: request.receivedAt };
    const parsed = parseEvent(envelope.eventBody, { times, chatPlatform, windowPer, chatChannelNumber, traceparent });
    if (parsed.kind === 'unreadable') return { kind: 'unstorable', reason: parsed.reason, ...common };
    const { event } = parsed;
    const written = await write(event);
    const traceId = traceIdOf((written.kind === 'written' && written.traceparent) || event.traceparent);
    switch (written.kind) {
      case 'written': {
        const withoutChannel = event.kind === 'message' && !event.opensWindow;
        return {
          kind: 'stored',
          event: event.kind,
          id: event.id,
          ...(withoutChannel && { withoutChannel }),
          deliveryId,
          traceId,
        };
      }
      case 'refused':
        return { kind: 'unstorable', reason: written.reason, deliveryId, traceId };
      case 'unavailable':
        return { kind: 'unavailable', reason: written.reason, deliveryId, traceId };
    }
  };
};

/** A write of an event. A status returns the trace of its message's item. */
type Write = (repositories: EventRepositories) => Promise<Traceparent | undefined>;

/** What else an event can mean, as the stage's settings say. */
type Meanings = Pick<StoreEventOptions, 'clock' | 'keywords' | 'operatorEchoes' | 'turns'>;

/** Returns the writes of an event, which run concurrently. */
const writesOf = (event: WebhookEvent, meanings: Meanings): readonly Write[] => {
  switch (event.kind) {
    case 'message':
      return writesOfMessage(event, turnOf(event, meanings), consentOf(event, meanings));
    case 'echo':
      return [writeOfEcho(event, meanings.operatorEchoes)];
    case 'status': {
      const { requestId, message } = event;
      return [
        ({ messages }) => messages.recordStatus(event),
        ...(requestId === undefined
          ? []
          : [async (repositories: EventRepositories) => void (await confirmSend(repositories, event, requestId))]),
        ...(message === undefined ? [] : writesOf(message, meanings)),
      ];
    }
  }
};

/**
 * A turn starts when its first message is stored: measured from an event's own time, a late event would end its turn at
 * once. A message from a status may not be the user's. If it is, it also arrives as an event of its own.
 */
const turnOf = ({ isFromStatus }: InboundMessage, { turns, clock }: Meanings): Turn =>
  turns && isFromStatus === undefined ? { startedAt: clock.now() } : undefined;

type Turn = Parameters<MessageRepository['recordInbound']>[1];

const writesOfMessage = (event: InboundMessage, turn: Turn, consent: Consent | undefined): readonly Write[] => {
  if (!event.opensWindow) return [async ({ messages }) => void (await messages.recordInbound(event, turn))];
  // A repetition can have another time than the first delivery: that of its own arrival, or its own time, which was in
  // the future before. The window and the consent take that of the message's item.
  if (event.time.source === 'arrival' || consent !== undefined) {
    return [async (repositories) => void (await writeAsOfItem(repositories, event, turn, consent))];
  }
  return [
    async ({ messages }) => void (await messages.recordInbound(event, turn)),
    async ({ contacts }) => void (await contacts.openWindow(event)),
  ];
};

const writeOfEcho = (event: Echo, operatorEchoes: OperatorEchoes | undefined): Write => {
  const { contact } = event;
  if (contact === undefined || operatorEchoes === undefined || !isFromOperator(event, operatorEchoes)) {
    return async ({ messages }) => void (await messages.recordEcho(event));
  }
  // A repetition can have a later time, if the event has none of its own, so the time is that of the echo's item.
  return async ({ messages, contacts }) => {
    const at = await messages.recordEcho(event);
    await contacts.recordOperatorMessage(contact, operatorMessageAt(at, operatorEchoes));
    return undefined;
  };
};

const operatorMessageAt = (at: Instant, { handoverMinutes }: OperatorEchoes) => ({
  at,
  ...(handoverMinutes !== undefined && { until: addMs(at, handoverMinutes * 60_000) }),
});

const consentOf = (event: InboundMessage, { keywords }: Meanings) => keywords && consentIn(event, keywords);

/** Opens the window and records the consent even if the table refuses the message itself. */
const writeAsOfItem = async (
  { messages, contacts }: EventRepositories,
  event: InboundMessage,
  turn: Turn,
  consent: Consent | undefined,
): Promise<void> => {
  const writeAsOf = async (at: Instant) => {
    await contacts.openWindow({ ...event, time: { ...event.time, at } });
    if (consent !== undefined) await contacts.recordConsent(event.contact, { ...consent, at, recordedAt: at });
  };
  let at: Instant;
  try {
    at = await messages.recordInbound(event, turn);
  } catch (error) {
    // Unless the table can never accept the message, its item may have an earlier time. A keyword with a time of its own
    // does not wait for a turn that is busy or full.
    const isTurnBusy = error instanceof ItemBusyError && event.time.source !== 'arrival';
    if (error instanceof WriteRefusedError || isTurnBusy) await writeAsOf(event.time.at);
    throw error;
  }
  await writeAsOf(at);
};

/**
 * Confirms the send that a status belongs to: a message with a status was accepted. The status may arrive while the
 * call is still waiting for its answer, after the send became `uncertain`, or more than once.
 */
const confirmSend = async (
  { messages, sends }: EventRepositories,
  { id, time }: StatusChange,
  requestId: string,
): Promise<void> => {
  const message = await sends.confirm(requestId, { messageId: id, at: time.at });
  if (message !== undefined) await messages.recordOutbound(message);
};

const attempt = async (
  budgetMs: number,
  write: (abortSignal: AbortSignal) => Promise<Traceparent | undefined>,
): Promise<EventWrite> => {
  try {
    return { kind: 'written', traceparent: await withinBudget(budgetMs, write) };
  } catch (error) {
    if (error instanceof WriteRefusedError) return { kind: 'refused', reason: error.message };
    const reason = summarizeError(error);
    return { kind: 'unavailable', reason, ...(error instanceof ItemBusyError && { isBusy: true }) };
  }
};
