import { z } from 'zod';
import type { PostReading } from './fuzz-reading.ts';

/** What a fuzz run led to. */
export interface FuzzResult {
  readonly requests: number;
  /** How often each HTTP status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How many events the acknowledged requests have. */
  readonly events: number;
  /** What the function logged as done with these events, and how many requests waited in the inbound queue. */
  readonly logged: Readonly<Record<'stored' | 'quarantined' | 'deferred' | 'other', number>>;
  /** How many of the events logged as stored are in the table. */
  readonly inTable: number;
  /** How often an event was stored more often than the requests name its id. */
  readonly repeated: number;
  /** How many events are in quarantine, each with its reason, its arrival, and its body. */
  readonly inQuarantine: number;
  readonly senders: SenderCounts;
  /** Errors that nothing handled. */
  readonly unhandled: number;
}

/** What in the table depends on who wrote a message. */
export interface SenderCounts {
  readonly echoes: number;
  /** Messages that are stored as the user's. */
  readonly ofUsers: number;
  readonly windows: number;
  readonly optIns: number;
  readonly optOuts: number;
  /** How many of these no request said that a user wrote. */
  readonly misread: number;
}

/**
 * Whether no request made the webhook fail, each event was stored, quarantined, or refused as too large once, and nothing
 * counts as the user's that does not say so.
 */
export const isPassed = (result: FuzzResult): boolean => {
  const { requests, statuses, events, logged, inTable, repeated, inQuarantine, senders, unhandled } = result;
  const { '200': acknowledged = 0, '413': tooLarge = 0 } = statuses;
  return (
    acknowledged + tooLarge === requests &&
    logged.stored + logged.quarantined === events &&
    inTable === logged.stored &&
    repeated === 0 &&
    inQuarantine === logged.quarantined &&
    logged.other === 0 &&
    senders.misread === 0 &&
    unhandled === 0
  );
};

/** What the function logs of an event that it stored. */
export interface StoredEvent {
  readonly id?: unknown;
  readonly event?: unknown;
}

/** Returns the table key of an event that was logged as stored. */
export const storedKey = ({ id, event }: StoredEvent): string =>
  `MESSAGE#${id} ${event === 'echo' ? 'ECHO' : 'MESSAGE'}`;

/** Returns what the function did with an event, by the start of its log line. Undefined for any other line. */
export const receiptIn = (message: string): string | undefined =>
  /^(?:deferred )?event (stored|quarantined|deferred|not stored)\b/.exec(message)?.[1];

/** Compares how often each id was stored with how often the acknowledged requests name it. */
export const countRepeated = (stored: readonly StoredEvent[], readings: readonly PostReading[]): number => {
  const unused = new Map<unknown, number>();
  for (const { named } of readings) for (const id of named) unused.set(id, (unused.get(id) ?? 0) + 1);
  return stored.filter(({ id, event }) => {
    const left = unused.get(id) ?? 0;
    unused.set(id, left - 1);
    // An event that Parley does not know has an id of Parley's own.
    return left <= 0 && event !== 'unknown';
  }).length;
};

const text = z.string().optional();
const storedItem = z.object({
  pk: z.string(),
  direction: text,
  lastInboundId: text,
  address: text,
  userOptInMessageId: text,
  userOptOutMessageId: text,
});

/** The attributes that {@link countSenders} reads. */
export const SENDER_ATTRIBUTES = Object.keys(storedItem.shape);

const windowName = (id: string, user: string | undefined): string => JSON.stringify([id, user]);

/** Compares what is stored with what the acknowledged requests say. */
export const countSenders = (items: Iterable<unknown>, readings: readonly PostReading[]): SenderCounts => {
  const written = new Set(readings.flatMap((reading) => reading.written));
  const opening = new Set(readings.flatMap((reading) => reading.opening.map(({ id, user }) => windowName(id, user))));
  const openingIds = new Set(readings.flatMap((reading) => reading.opening.map(({ id }) => id)));
  const counts = { echoes: 0, ofUsers: 0, windows: 0, optIns: 0, optOuts: 0, misread: 0 };
  const count = (name: keyof typeof counts, isSaid: boolean): void => {
    counts[name] += 1;
    if (!isSaid) counts.misread += 1;
  };
  for (const item of items) {
    const { pk, direction, lastInboundId, address, userOptInMessageId, userOptOutMessageId } = storedItem.parse(item);
    if (direction === 'echo') counts.echoes += 1;
    if (direction === 'inbound') count('ofUsers', written.has(pk.slice('MESSAGE#'.length)));
    if (lastInboundId !== undefined) count('windows', opening.has(windowName(lastInboundId, address)));
    if (userOptInMessageId !== undefined) count('optIns', openingIds.has(userOptInMessageId));
    if (userOptOutMessageId !== undefined) count('optOuts', openingIds.has(userOptOutMessageId));
  }
  return counts;
};
