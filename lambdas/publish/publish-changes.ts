import type { ItemChange } from '../domain/telling/item-change.ts';
import { itemEvents } from '../domain/telling/item-events.ts';
import { type WrittenEvent, writeEvent } from '../domain/telling/written-event.ts';
import type { EventBus, Log, Metrics, Pause, Randomness, UntoldChanges } from '../ports.ts';

export interface PublishChangesPorts {
  readonly bus: EventBus;
  readonly untold: UntoldChanges;
  readonly pause: Pause;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether events carry messages' content. */
  readonly content: boolean;
}

/** A record of the stream, read when its turn comes. */
export interface StreamedRecord {
  readonly sequenceNumber: string;
  readonly record: unknown;
  /** The change that it tells; undefined when it is none of ours. Throws when it cannot be read. */
  readonly readChange: () => ItemChange | undefined;
}

/** An event on its way, and the record that it is told for. */
interface Pending {
  readonly event: WrittenEvent;
  readonly origin: StreamedRecord;
}

const ROUNDS = 5;
const FIRST_PAUSE_MS = 100;

/**
 * Tells what the stream's records are worth. An event that the bus does not take is put again by itself, some rounds
 * long; a record that cannot be told is set aside, so that it holds nobody up.
 *
 * @param enoughTime whether the invocation lasts for another round
 * @returns the sequence numbers of the records that must come again
 */
export const createPublishChanges =
  (ports: PublishChangesPorts) =>
  async (records: readonly StreamedRecord[], enoughTime: () => boolean): Promise<readonly string[]> => {
    const failed = new Set<string>();
    let pending: readonly Pending[] = (await Promise.all(records.map((record) => read(ports, record, failed)))).flat();
    for (let round = 1; pending.length > 0 && round <= ROUNDS && enoughTime(); round += 1) {
      if (round > 1) await waitBefore(ports, round, pending.length);
      pending = await putRound(ports, pending, failed);
    }
    for (const { origin } of pending) failed.add(origin.sequenceNumber);
    if (failed.size > 0) {
      ports.metrics.count('TellingFailed');
      ports.log.error('changes could not be told; the stream brings them again', { sequenceNumbers: [...failed] });
    }
    return records.map(({ sequenceNumber }) => sequenceNumber).filter((sequenceNumber) => failed.has(sequenceNumber));
  };

const read = async (
  ports: PublishChangesPorts,
  origin: StreamedRecord,
  failed: Set<string>,
): Promise<readonly Pending[]> => {
  try {
    const change = origin.readChange();
    const events = change === undefined ? [] : itemEvents(change);
    return events.map((event) => ({ event: writeEvent(event, ports), origin }));
  } catch (error) {
    await setAside(ports, origin, `UNREADABLE: ${error instanceof Error ? error.message : String(error)}`, failed);
    return [];
  }
};

/** Puts what is pending; returns what was not taken. */
const putRound = async (
  ports: PublishChangesPorts,
  pending: readonly Pending[],
  failed: Set<string>,
): Promise<readonly Pending[]> => {
  const results = await ports.bus.put(pending.map(({ event }) => event));
  const again: Pending[] = [];
  for (const [index, one] of pending.entries()) {
    const result = results[index] ?? { kind: 'failed', reason: 'The bus did not say.' };
    if (result.kind === 'taken') ports.metrics.count('EventTold');
    else if (result.kind === 'failed') again.push(one);
    else await setAside(ports, one.origin, `REFUSED: ${one.event.name} ${one.event.id}: ${result.reason}`, failed);
  }
  return again;
};

const waitBefore = async ({ pause, randomness, log, metrics }: PublishChangesPorts, round: number, events: number) => {
  metrics.count('TellingRepeated');
  log.warn('events were not taken; they are put again', { events, round });
  const full = FIRST_PAUSE_MS * 2 ** (round - 1);
  await pause(full / 2 + (full / 2) * randomness.fraction());
};

const setAside = async (
  { untold, log, metrics }: PublishChangesPorts,
  { sequenceNumber, record }: StreamedRecord,
  reason: string,
  failed: Set<string>,
): Promise<void> => {
  try {
    await untold.put({ sequenceNumber, record }, reason);
    metrics.count('ChangeUntold');
    log.error('a change cannot be told; it is set aside', { sequenceNumber, reason });
  } catch (error) {
    failed.add(sequenceNumber);
    log.error('a change could be neither told nor set aside', { sequenceNumber, reason, error });
  }
};
