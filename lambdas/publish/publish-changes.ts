import { summarizeError } from '../domain/describe-error.ts';
import { ParleyError } from '../domain/errors.ts';
import type { BusEvent } from '../domain/events/event-details.ts';
import type { ItemChange } from '../domain/events/item-change.ts';
import { itemEvents } from '../domain/events/item-events.ts';
import { type SerializedEvent, serializeEvent } from '../domain/events/serialize-event.ts';
import type { EventBus, Log, Metrics, PublishDeadLetterQueue, PublishResult, Randomness, Sleep } from '../ports.ts';
import { CHANGE_CONCURRENCY, mapConcurrently } from '../runtime/concurrency.ts';

export interface PublishChangesOptions {
  readonly bus: EventBus;
  readonly deadLetters: PublishDeadLetterQueue;
  readonly sleep: Sleep;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether events include the content of messages. */
  readonly content: boolean;
  /** Handlers for the kinds of changes whose events need calls. Undefined if the events of all changes follow from them. */
  readonly handlers: Partial<Record<ItemChange['kind'], HandleChange>> | undefined;
}

/**
 * Handles a change, and returns the events to publish. A failed call can be repeated, unless it fails with a
 * `ParleyError`.
 */
export type HandleChange = (change: ItemChange) => Promise<readonly BusEvent[]>;

/** A record of the table's stream. */
export interface ChangeRecord {
  readonly sequenceNumber: string;
  readonly record: unknown;
  /** Returns undefined for a change that is not published. Throws if the record cannot be read. */
  readonly readChange: () => ItemChange | undefined;
}

/** An event to publish, and the record it comes from. */
interface PendingEvent {
  readonly event: SerializedEvent;
  readonly origin: ChangeRecord;
}

const MAX_ATTEMPTS = 5;
const MAX_HANDLER_ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 100;

/**
 * Creates the function that publishes the events of stream records. It retries only the events that failed. A record
 * that cannot be published goes to the dead-letter queue, so that it does not block the others.
 *
 * @param hasTime whether the invocation has time for another attempt
 * @returns the sequence numbers of the records that Lambda must retry
 */
export const createPublishChanges =
  (options: PublishChangesOptions) =>
  async (records: readonly ChangeRecord[], hasTime: () => boolean): Promise<readonly string[]> => {
    const failed = new Set<string>();
    const events = await mapConcurrently(CHANGE_CONCURRENCY, records, (record) =>
      eventsOf({ ...options, hasTime }, record, failed),
    );
    let pending = events.flat();
    for (let attempt = 1; pending.length > 0 && attempt <= MAX_ATTEMPTS && hasTime(); attempt += 1) {
      if (attempt > 1) await backOff(options, attempt, pending.length);
      pending = await publishOnce(options, pending, failed);
    }
    for (const { origin } of pending) failed.add(origin.sequenceNumber);
    if (failed.size > 0) {
      options.metrics.count('PublishFailed');
      options.log.error('changes not published; Lambda will retry them', { sequenceNumbers: [...failed] });
    }
    return records.map(({ sequenceNumber }) => sequenceNumber).filter((sequenceNumber) => failed.has(sequenceNumber));
  };

interface ReadingOptions extends PublishChangesOptions {
  readonly hasTime: () => boolean;
}

const eventsOf = async (
  options: ReadingOptions,
  origin: ChangeRecord,
  failed: Set<string>,
): Promise<PendingEvent[]> => {
  let change: ItemChange | undefined;
  let handle: HandleChange | undefined;
  try {
    change = origin.readChange();
    if (change === undefined) return [];
    handle = options.handlers?.[change.kind];
    if (handle === undefined) return pendingOf(options, itemEvents(change), origin);
  } catch (error) {
    await deadLetter(options, origin, `UNREADABLE: ${summarizeError(error)}`, failed);
    return [];
  }
  const { hasTime, log } = options;
  let error: unknown;
  // In this invocation first, because Lambda would deliver this record and all later ones again.
  for (let attempt = 1; attempt <= MAX_HANDLER_ATTEMPTS && hasTime(); attempt += 1) {
    if (attempt > 1) await options.sleep(backoffMs(options, attempt));
    try {
      return pendingOf(options, await handle(change), origin);
    } catch (caught) {
      if (caught instanceof ParleyError) {
        await deadLetter(options, origin, `UNREADABLE: ${summarizeError(caught)}`, failed);
        return [];
      }
      error = caught;
    }
  }
  failed.add(origin.sequenceNumber);
  log.error('change not handled; Lambda will retry it', { error });
  return [];
};

const pendingOf = (options: PublishChangesOptions, events: readonly BusEvent[], origin: ChangeRecord): PendingEvent[] =>
  events.map((event) => ({ event: serializeEvent(event, options), origin }));

/** Publishes the pending events. Returns those that failed and can be retried. */
const publishOnce = async (
  options: PublishChangesOptions,
  pending: readonly PendingEvent[],
  failed: Set<string>,
): Promise<PendingEvent[]> => {
  const results = await options.bus.publish(pending.map(({ event }) => event));
  logRefusals(options, results);
  const retried: PendingEvent[] = [];
  for (const [index, one] of pending.entries()) {
    const result = results[index] ?? NO_RESULT;
    if (result.kind === 'failed') retried.push(one);
    if (result.kind === 'refused') {
      await deadLetter(options, one.origin, `REFUSED: ${one.event.name} ${one.event.id}: ${result.reason}`, failed);
    }
  }
  return retried;
};

const NO_RESULT: PublishResult = { kind: 'failed', code: 'no result', reason: 'The bus returned no result.' };

/** Logs how many events the bus did not accept, per error code. Messages are left out, because they may quote events. */
const logRefusals = ({ log }: PublishChangesOptions, results: readonly PublishResult[]): void => {
  const errors = new Map<string, number>();
  for (const result of results) {
    if (result.kind !== 'published') errors.set(result.code, (errors.get(result.code) ?? 0) + 1);
  }
  if (errors.size === 0) return;
  log.warn('event bus refused events', { events: results.length, errors: Object.fromEntries(errors) });
};

const backOff = async (
  { sleep, randomness, log, metrics }: PublishChangesOptions,
  attempt: number,
  events: number,
): Promise<void> => {
  metrics.count('PublishRetried');
  log.warn('events not published; retrying', { events, attempt });
  await sleep(backoffMs({ randomness }, attempt));
};

/** Returns the pause before an attempt. */
const backoffMs = ({ randomness }: Pick<PublishChangesOptions, 'randomness'>, attempt: number): number => {
  const full = FIRST_BACKOFF_MS * 2 ** (attempt - 1);
  return full / 2 + (full / 2) * randomness.random();
};

const deadLetter = async (
  { deadLetters, log, metrics }: Pick<PublishChangesOptions, 'deadLetters' | 'log' | 'metrics'>,
  { sequenceNumber, record }: ChangeRecord,
  reason: string,
  failed: Set<string>,
): Promise<void> => {
  try {
    await deadLetters.put({ sequenceNumber, record }, reason);
    metrics.count('ChangeDeadLettered');
    log.error('change cannot be published; put on the dead-letter queue', { sequenceNumber, reason });
  } catch (error) {
    failed.add(sequenceNumber);
    log.error('change neither published nor put on the dead-letter queue', { sequenceNumber, reason, error });
  }
};
