import { createHash } from 'node:crypto';
import type { ContactRef } from '../../lambdas/domain/contact.ts';
import { type HistoryContext, parseHistory } from '../../lambdas/domain/history-formats/parse-history.ts';
import type { ParsedEvent } from '../../lambdas/domain/parse-events.ts';
import { NO_LINE } from '../../lambdas/domain/watch/channel-rhythm.ts';
import type { WebhookEvent } from '../../lambdas/domain/webhook-event.ts';
import { MAX_IMPORT_BYTES, MAX_IMPORT_ENTRIES, MAX_IMPORT_EVENTS } from '../../lambdas/manage/api/imports.ts';
import { type RefusedRows, recordRefusal } from '../broadcast/refused-rows.ts';
import type { History, HistoryEntry } from './read-history.ts';

/** Entries for one call of the management API. */
export interface Chunk {
  readonly entries: readonly HistoryEntry[];
}

/** What a history has, before Parley is asked what is missing. */
export interface ImportPlan {
  readonly chunks: readonly Chunk[];
  /** The entries in all chunks. */
  readonly entries: number;
  /** Messages of users, messages of bots and operators, statuses, and events of other kinds. */
  readonly events: Readonly<Record<WebhookEvent['kind'], number>>;
  readonly users: number;
  /** The contacts of some of the messages. */
  readonly someContacts: readonly ContactRef[];
  /** The business numbers that the entries name. */
  readonly numbers: readonly string[];
  readonly earliest: string | undefined;
  readonly latest: string | undefined;
  /** Entries that repeat another one. */
  readonly repeated: number;
  readonly unreadable: RefusedRows;
  readonly noun: History['noun'];
  /** Derived from the entries in the chunks and how they are divided, so that only the same import is continued. */
  readonly contentId: string;
}

/** Leaves space for the rest of the call's body. */
const CHUNK_BYTES = MAX_IMPORT_BYTES - 1024;
/** What each call has at most. Under other limits, another chunk would be the next one. */
const CHUNK_LIMITS = { entries: MAX_IMPORT_ENTRIES, events: MAX_IMPORT_EVENTS, bytes: CHUNK_BYTES };
const MAX_SOME_CONTACTS = 5;

/** Reads every entry as Parley would, and divides those that have events into calls. */
export const planImport = (
  history: History,
  given: HistoryContext,
  limits: typeof CHUNK_LIMITS = CHUNK_LIMITS,
): ImportPlan => {
  const context = { ...given, namesChannels: true };
  const digest = createHash('sha256').update(JSON.stringify([context.format ?? '', limits]));
  const unreadable: RefusedRows = structuredClone(history.unreadable);
  const events = { message: 0, echo: 0, status: 0, unknown: 0 };
  const [seen, users, numbers] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const someContacts: ContactRef[] = [];
  let [earliest, latest]: (string | undefined)[] = [];
  let repeated = 0;
  const readable: (HistoryEntry & { readonly events: number })[] = [];
  for (const entry of history.entries) {
    const parsed = parseHistory(entry.text, context);
    const found = parsed.flatMap((each) => (each.kind === 'event' ? [each.event] : []));
    const isTooLarge = Buffer.byteLength(entry.text) > limits.bytes;
    if (found.length === 0 || isTooLarge || parsed.length > limits.events) {
      recordRefusal(unreadable, isTooLarge ? TOO_LARGE : reasonOf(parsed), entry.number);
      continue;
    }
    const fresh = found.filter((event) => !seen.has(nameOf(event)));
    if (fresh.length === 0) {
      repeated += 1;
      continue;
    }
    readable.push({ ...entry, events: parsed.length });
    digest.update(entry.text);
    for (const event of fresh) {
      seen.add(nameOf(event));
      events[event.kind] += 1;
      const user = userOf(event);
      const isNew = user !== undefined && !users.has(user);
      if (user !== undefined) users.add(user);
      if (isNew && event.kind !== 'status' && event.contact && someContacts.length < MAX_SOME_CONTACTS) {
        someContacts.push(event.contact);
      }
      const { line = NO_LINE } = event.channel ?? {};
      if (line !== NO_LINE) numbers.add(`+${line}`);
      const { at } = event.time;
      if (earliest === undefined || at < earliest) earliest = at;
      if (latest === undefined || at > latest) latest = at;
    }
  }
  return {
    chunks: chunksOf(readable, limits),
    entries: readable.length,
    events,
    users: users.size,
    someContacts,
    numbers: [...numbers],
    earliest,
    latest,
    repeated,
    unreadable,
    noun: history.noun,
    contentId: digest.digest('hex'),
  };
};

const TOO_LARGE = `It is larger than ${CHUNK_BYTES} bytes.`;
const TOO_MANY = `It has more than ${MAX_IMPORT_EVENTS} events.`;

const reasonOf = (parsed: readonly ParsedEvent[]): string =>
  parsed.map((each) => (each.kind === 'unreadable' ? each.reason : '')).find((reason) => reason !== '') ?? TOO_MANY;

/** Several statuses of a message have its ID. */
const nameOf = ({ kind, id, body }: WebhookEvent): string => `${kind} ${id}${kind === 'status' ? ` ${body}` : ''}`;

const userOf = (event: WebhookEvent): string | undefined => {
  const subject = event.kind === 'status' ? event.subject : (event.contact ?? ('customer' in event && event.customer));
  return subject ? JSON.stringify(['key' in subject ? subject.key : subject.customerId]) : undefined;
};

const chunksOf = (
  entries: readonly (HistoryEntry & { readonly events: number })[],
  limits: typeof CHUNK_LIMITS,
): readonly Chunk[] => {
  const chunks: HistoryEntry[][] = [];
  let [bytes, events] = [0, 0];
  for (const { events: added, ...entry } of entries) {
    const size = Buffer.byteLength(entry.text) + 1;
    const last = chunks.at(-1);
    const fits = bytes + size <= limits.bytes && events + added <= limits.events;
    if (last !== undefined && last.length < limits.entries && fits) last.push(entry);
    else {
      chunks.push([entry]);
      [bytes, events] = [0, 0];
    }
    bytes += size;
    events += added;
  }
  return chunks.map((each) => ({ entries: each }));
};
